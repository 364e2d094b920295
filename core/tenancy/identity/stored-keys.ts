/**
 * Stored API keys: found by the hash of the key, without the store once they are cached. Errors: `invalid_api_key`
 * (unknown, archived, rotated out, its user or workspace gone), `expired_api_key`, `store_unavailable` when the store
 * is needed and does not answer.
 */
import { timingSafeEqual } from 'node:crypto'
import { type DocumentChange, GatewayError, type Identity, type StoredDocument } from '@gateway/contract'
import { type ApiKeyData, addressMatcher, hashKeyOf, kinds, type TypedDocuments } from '@gateway/domain'
import { andThen, type Caller, type MaybePromise } from '@gateway/flow'
import type { Directory, Place, Surroundings } from './directory.ts'
import { createDocumentCache, type DocumentCache } from './document-cache.ts'
import type { PresentedKey } from './key-ring.ts'
import { isActive, rightsOfUserKey } from './rights.ts'

/** The number of cached keys, about 2 kB each. */
const maxKeys = 120_000

export interface StoredKeys {
  /** The caller with this key; null if it is not a stored key. */
  find(key: PresentedKey): MaybePromise<Caller | null>
  /** The caller on behalf of a key, such as in a session. */
  findById(id: string): Promise<Caller | null>
  forget(changes: readonly DocumentChange[]): void
}

export interface StoredKeysOptions {
  documents: TypedDocuments
  directory: Directory
  /** The maximum number of entries. Default 120,000. */
  max?: number
  now(): number
}

interface KeyEntry {
  document: StoredDocument<ApiKeyData>
  place: Place
  scopes: ReadonlySet<string>
  /** Which secret was used; null for a key found without one. */
  secret: { hash: Buffer; version: number; endsAt: number } | null
  expiresAt: number
  /** Derived from these objects, and valid while they are unchanged. */
  known: { surroundings: Surroundings; caller: Caller } | null
}

export function createStoredKeys({
  documents,
  directory,
  max = maxKeys,
  now,
}: StoredKeysOptions): StoredKeys {
  const byHash = createDocumentCache({
    kind: kinds.apiKey,
    find: (hash) => documents.findByKey(kinds.apiKey, hashKeyOf(hash)),
    make: toEntry,
    max,
    now,
  })
  const byId = createDocumentCache({
    kind: kinds.apiKey,
    find: (id) => documents.get(kinds.apiKey, id),
    make: (document) => toEntry(document, null),
    max: Math.ceil(max / 10),
    now,
  })

  function callerOf(entry: KeyEntry): MaybePromise<Caller> {
    checkTime(entry, now())
    const surroundings = directory.peek(entry.place) ?? directory.load(entry.place)
    return andThen(surroundings, (known) => resolve(entry, known))
  }

  function find(
    cache: DocumentCache<KeyEntry>,
    lookup: string,
    hash: Buffer | null,
  ): MaybePromise<Caller | null> {
    const cached = cache.peek(lookup)
    return andThen(cached === undefined ? cache.load(lookup) : cached, (entry) =>
      entry === null || !isPresented(entry, hash) ? null : callerOf(entry),
    )
  }

  return {
    find: ({ bytes, hex }) => find(byHash, hex, bytes),
    findById: async (id) => find(byId, id, null),
    forget(changes) {
      byHash.forget(changes)
      byId.forget(changes)
    },
  }
}

function toEntry(document: StoredDocument<ApiKeyData>, lookup: string | null): KeyEntry {
  const { data } = document
  const secret = lookup === null ? undefined : data.secrets.find(({ hash }) => hash === lookup)
  return {
    document,
    place: {
      organisationId: document.organisation_id ?? '',
      workspaceId: document.workspace_id,
      userId: data.type === 'workspace-user' ? data.user_id : null,
    },
    scopes: new Set(data.scopes),
    secret:
      secret === undefined
        ? null
        : {
            hash: Buffer.from(secret.hash, 'hex'),
            version: secret.key_version,
            endsAt: timeOf(secret.ends_at),
          },
    expiresAt: timeOf(data.expires_at),
    known: null,
  }
}

const timeOf = (text: string | null) => (text === null ? Number.POSITIVE_INFINITY : Date.parse(text))

/** The hash of a found document is compared again, instead of trusting the store. */
function isPresented({ secret }: KeyEntry, hash: Buffer | null): boolean {
  if (hash === null) return true
  return secret !== null && secret.hash.length === hash.length && timingSafeEqual(secret.hash, hash)
}

export const unknownKey = () => new GatewayError('invalid_api_key', 'Unknown gateway key.')

function checkTime({ document, secret, expiresAt }: KeyEntry, nowMs: number): void {
  if (document.status === 'archived') throw unknownKey()
  if (secret !== null && secret.endsAt <= nowMs) throw unknownKey()
  if (expiresAt <= nowMs) throw new GatewayError('expired_api_key', 'The gateway key has expired.')
}

function resolve(entry: KeyEntry, surroundings: Surroundings): Caller {
  const { known } = entry
  if (known !== null && isSame(known.surroundings, surroundings)) return known.caller
  const caller = makeCaller(entry, surroundings)
  entry.known = { surroundings, caller }
  return caller
}

const isSame = (left: Surroundings, right: Surroundings) =>
  left.workspace === right.workspace &&
  left.user === right.user &&
  left.member === right.member &&
  left.organisation === right.organisation

function makeCaller({ document, place, scopes, secret }: KeyEntry, surroundings: Surroundings): Caller {
  const { type } = document.data
  const { workspace, user } = surroundings
  if (place.workspaceId !== null && workspace?.document.status !== 'active') throw unknownKey()
  if (place.userId !== null && !isActive(user)) throw unknownKey()
  const role = user?.data.role ?? null
  const identity: Identity = {
    type,
    keyId: document.id,
    keyVersion: secret?.version ?? null,
    name: document.name ?? '',
    organisationId: place.organisationId,
    boundWorkspaceId: place.workspaceId,
    workspace: workspace?.document.slug ?? '',
    workspaceId: place.workspaceId ?? '',
    userId: place.userId,
    role,
    scopes: role === null ? scopes : rightsOfUserKey([...scopes], role, surroundings),
  }
  const { allowed_ips: allowed } = document.data
  return { identity, key: document, allowsAddress: allowed ? addressMatcher(allowed) : null }
}
