/**
 * The fingerprint of the master key, kept in the store. A gateway with another key could not open the secrets of other
 * gateways, and would store secrets that they cannot open. Errors: `invalid_config` for another key,
 * `store_unavailable`.
 */
import {
  type DocumentDraft,
  type Documents,
  GatewayError,
  isGatewayError,
  isObject,
  type Json,
  type StoredDocument,
} from '@gateway/contract'
import { derivedId, kinds } from '@gateway/domain'
import type { MasterSealer } from './sealer.ts'

const id = derivedId('encryption key')
const pageSize = 500

/** Checks the key for commands; passes for a store that has no fingerprint yet. */
export async function checkMasterKey(documents: Documents, sealer: MasterSealer): Promise<void> {
  const kept = await documents.get(kinds.encryptionKey, id)
  if (kept !== null && !sealer.hasKey(String(kept.data.fingerprint))) throw otherKey()
}

/** Checks the key at a gateway's start, and records it in a store that has no fingerprint yet. */
export async function claimMasterKey(
  documents: Documents,
  sealer: MasterSealer,
  nowMs: number,
): Promise<void> {
  const kept = await documents.get(kinds.encryptionKey, id)
  if (kept === null) {
    if (await isSealedWithOther(documents, sealer)) throw otherKey()
    try {
      await documents.commit([{ op: 'put', isQuiet: true, expected: 0, document: documentOf(sealer, nowMs) }])
      return
    } catch (error) {
      // Another process was faster: its key is checked.
      if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
    }
  }
  await checkMasterKey(documents, sealer)
}

/** Replaces the fingerprint, at the end of a rotation. */
export async function replaceFingerprint(
  documents: Documents,
  sealer: MasterSealer,
  nowMs: number,
): Promise<void> {
  await documents.commit([{ op: 'put', isQuiet: true, document: documentOf(sealer, nowMs) }])
}

/** Whether an earlier version has sealed texts in this store, and none of them with a key of this process. */
async function isSealedWithOther(documents: Documents, sealer: MasterSealer): Promise<boolean> {
  let isFound = false
  for (let after: { kind: string; id: string } | null = null; ; ) {
    const page: StoredDocument[] = await documents.scan(null, after, pageSize)
    for (const { data } of page)
      for (const sealed of sealedTexts(data, sealer)) {
        if (sealer.canOpen(sealed)) return false
        isFound = true
      }
    const last = page.at(-1)
    if (last === undefined) return isFound
    after = { kind: last.kind, id: last.id }
  }
}

/** The sealed texts in stored data. */
export function* sealedTexts(value: Json | undefined, sealer: MasterSealer): Iterable<string> {
  if (typeof value === 'string' && sealer.isSealed(value)) yield value
  else if (Array.isArray(value)) for (const item of value) yield* sealedTexts(item, sealer)
  else if (isObject(value)) for (const member of Object.values(value)) yield* sealedTexts(member, sealer)
}

const documentOf = ({ fingerprint }: MasterSealer, nowMs: number): DocumentDraft => ({
  kind: kinds.encryptionKey,
  id,
  organisation_id: null,
  workspace_id: null,
  slug: null,
  name: null,
  status: 'active',
  created_at: nowMs,
  last_updated_at: nowMs,
  keys: [],
  attributes: {},
  data: { fingerprint },
})

const otherKey = () =>
  new GatewayError(
    'invalid_config',
    "The secrets of this store are encrypted with another key than this gateway's. Set GATEWAY_ENCRYPTION_KEY to the key of the other gateways on this store, or restore the file encryption-key of the data folder. To replace the key, run gateway rotate-encryption-key.",
  )
