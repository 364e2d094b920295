/**
 * The values of secret references (management contract, section 12): fetched when a request first needs them, kept in
 * memory only, renewed in the background. They appear in no log and no error. Errors: `dependency_unavailable` (503)
 * when a secret manager cannot be reached and no cached value may be used any more; `upstream_error` (502) for a
 * missing secret, member or reference; `store_unavailable`.
 */
import { createHash } from 'node:crypto'
import type { MappedSecrets } from '@gateway/config'
import {
  type Documents,
  GatewayError,
  isGatewayError,
  type JsonObject,
  type ProviderIo,
  type Sealer,
  type SecretManager,
} from '@gateway/contract'
import {
  type DocumentOf,
  kinds,
  recordOf,
  type SecretMapping,
  type SecretReferenceData,
  typedDocuments,
} from '@gateway/domain'
import { atMost } from '@gateway/flow'
import { LRUCache } from 'lru-cache'
import { createRefreshingValue, type RefreshingValue } from './refreshing-value.ts'
import { memberObject, memberText, textsIn } from './secret-members.ts'

export interface SecretValues {
  /**
   * The values of a credential's mappings, for a request of this workspace.
   * @param mappings with the ids of their references
   * @param workspaceId null for the organisation itself, whose credential is tested
   */
  mapped(mappings: readonly SecretMapping[], workspaceId: string | null): Promise<MappedSecrets>
  /** All cached secret texts, for redacting logs. */
  texts(): string[]
  close(): void
}

export interface SecretValuesOptions {
  documents: Documents
  sealer: Sealer
  /** By `manager_type`. */
  managers(): ReadonlyMap<string, SecretManager>
  /** Calls out through the host guard of the running configuration. */
  io(signal: AbortSignal): ProviderIo
  /** Milliseconds since the epoch. */
  now(): number
  /** Called when a secret manager did not answer and the last value stays in use. */
  report(record: { secret_reference_id: string; manager_type: string; reason: string }, message: string): void
}

type Reference = DocumentOf<'secret_reference'>

const loadTimeoutMs = 15_000
const maxValues = 5000

export function createSecretValues(options: SecretValuesOptions): SecretValues {
  const { managers, now } = options
  const documents = typedDocuments(options.documents)
  const values = new LRUCache<string, RefreshingValue>(atMost(maxValues))
  const references = new LRUCache<string, Reference>(atMost(maxValues))
  /** Increased with every change: values read before a change are not cached. */
  let revision = 0
  const unwatch = documents.watch((changes) => {
    revision += 1
    if (changes.length === 0) references.clear()
    for (const { kind, id } of changes) if (kind === kinds.secretReference) references.delete(id)
  })

  async function findReference(id: string): Promise<Reference> {
    const from = revision
    const found = await documents.get(kinds.secretReference, id)
    if (found === null || found.status === 'archived') throw notThere()
    if (from === revision) references.set(id, found)
    return found
  }

  async function load(reference: Reference): Promise<string | null> {
    const { id, data } = reference
    const manager = managers().get(data.manager_type)
    if (manager === undefined) {
      throw new GatewayError('dependency_unavailable', `Unknown secret manager "${data.manager_type}".`)
    }
    try {
      const io = options.io(AbortSignal.timeout(loadTimeoutMs))
      return await manager.fetch(openAuthConfig(reference, options.sealer), data.secret_path, io)
    } catch (error) {
      const reason = isGatewayError(error) ? error.code : 'internal_error'
      options.report(
        { secret_reference_id: id, manager_type: data.manager_type, reason },
        'failed to fetch a secret',
      )
      throw error
    }
  }

  function valueFor(reference: Reference): RefreshingValue {
    const key = keyOf(reference.data)
    const known = values.get(key)
    if (known !== undefined) return known
    const made = createRefreshingValue({ load: () => load(reference), now })
    values.set(key, made)
    return made
  }

  async function readMapped(
    mapping: SecretMapping,
    workspaceId: string | null,
  ): Promise<[field: string, value: string | JsonObject]> {
    const id = mapping.secret_reference_id
    const reference = references.get(id) ?? (await findReference(id))
    if (workspaceId !== null && !reaches(reference, workspaceId)) throw notThere()
    return [mapping.target_field, pick(mapping, reference, await valueFor(reference).get())]
  }

  return {
    mapped: async (mappings, workspaceId) =>
      new Map(await Promise.all(mappings.map((mapping) => readMapped(mapping, workspaceId)))),
    texts: () =>
      [...values.values()].flatMap((value) => {
        const text = value.peek()
        return text === null ? [] : textsIn(text)
      }),
    close: unwatch,
  }
}

/** The whole `auth_config`, including its secrets. */
function openAuthConfig(reference: Reference, sealer: Sealer): JsonObject {
  const { auth_config, sealed } = reference.data
  return sealed === null
    ? auth_config
    : { ...auth_config, ...(JSON.parse(sealer.open(sealed, recordOf(reference))) as JsonObject) }
}

/** Whether a workspace may use a reference. */
function reaches({ data }: { data: SecretReferenceData }, workspaceId: string): boolean {
  const { allow_all_workspaces, allowed_workspaces } = data
  return allow_all_workspaces || allowed_workspaces.includes(workspaceId)
}

function pick(mapping: SecretMapping, { data }: Reference, text: string): string | JsonObject {
  const secretKey = mapping.secret_key ?? data.secret_key
  return mapping.value_format === 'json' ? memberObject(text, secretKey) : memberText(text, secretKey)
}

/** Identifies the fetched secret, independent of its reference: two references to one secret fetch it once. */
function keyOf({ manager_type, auth_config, sealed, secret_path }: SecretReferenceData): string {
  const parts = JSON.stringify([manager_type, auth_config, sealed, secret_path])
  return createHash('sha256').update(parts).digest('base64url')
}

const notThere = () =>
  new GatewayError('upstream_error', "The secret reference of the provider's credential does not exist.")
