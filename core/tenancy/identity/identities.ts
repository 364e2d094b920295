/**
 * Authenticates callers on every route, by operator key, keys of the config file, stored keys, sessions, JWTs and SCIM
 * tokens. Errors: 401 `invalid_api_key`, `expired_api_key`, `session_expired`, `jwt_…`; 403 `forbidden`; 404
 * `not_found` for a workspace that is not the credential's; 503 `store_unavailable`, `dependency_unavailable`.
 */
import {
  type Documents,
  GatewayError,
  type Identity,
  type KeySets,
  type StoredDocument,
} from '@gateway/contract'
import { typedDocuments } from '@gateway/domain'
import { andThen, type Caller, type Callers, type Claim, type MaybePromise } from '@gateway/flow'
import { createAllowedAddresses } from './admission.ts'
import { createDirectory } from './directory.ts'
import { createJwtCallers } from './jwt-callers.ts'
import { type Key, type KeyRing, operatorKeyId, presentKey } from './key-ring.ts'
import { createLastUsed } from './last-used.ts'
import { nameWorkspace } from './named-workspace.ts'
import { createScimTokens } from './scim-tokens.ts'
import { createSessions } from './sessions.ts'
import { createStoredKeys, unknownKey } from './stored-keys.ts'

/** A credential that consists only of an API key, such as at a sign-in. */
export const keyClaim = (text: string, clientIp: string): Claim => ({
  presented: { kind: 'key', text, isCookie: false },
  path: '',
  workspace: null,
  csrf: null,
  isSafe: true,
  client: { clientIp },
})

/** The limit for one person, in answers about all of their workspaces. */
const maxWorkspaces = 1000

export interface Identities extends Callers {
  /**
   * Whether an organisation allows its callers to connect from an address.
   * Errors: `store_unavailable`.
   */
  isAddressAllowed(organisationId: string, address: string): Promise<boolean>
  /** Writes recorded uses. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface IdentitiesOptions {
  documents: Documents
  /** The operator's keys. */
  adminKeys: KeyRing
  /** The running config file. */
  current: { readonly settings: { readonly keys: KeyRing; readonly documents: readonly StoredDocument[] } }
  /** Public keys of token issuers. */
  keySets: KeySets
  /** Called for background errors. */
  report(error: unknown): void
  /** Milliseconds since the epoch. Default: the system's clock. */
  now?: () => number
}

/** Opens the authentication of callers; it watches the store until it is closed. */
export function openIdentities(options: IdentitiesOptions): Identities {
  const { adminKeys, current, keySets, report, now = Date.now } = options
  const documents = typedDocuments(options.documents)
  const directory = createDirectory({ documents, declared: () => current.settings.documents, now })
  const keys = createStoredKeys({ documents, directory, now })
  const sessions = createSessions({ documents, directory, findKey: keyCallerById, now })
  const tokens = createJwtCallers({ directory, keySets, now })
  const scimTokens = createScimTokens({ documents, now })
  const lastUsed = createLastUsed({ documents, now, report })
  const addresses = createAllowedAddresses(directory, now)
  const unwatch = documents.watch((changes) => {
    for (const part of [directory, addresses, keys, sessions, scimTokens]) part.forget(changes)
  })

  function note(caller: Caller): Caller {
    const { sessionId, keyId, organisationId, type } = caller.identity
    if ((caller.key !== null || type === 'scim') && keyId !== null) lastUsed.note(keyId, organisationId)
    if (sessionId !== undefined) lastUsed.note(sessionId, organisationId)
    return caller
  }

  function keyCaller({ presented, workspace }: Claim): MaybePromise<Caller> {
    const key = presentKey(presented.text)
    const declared = adminKeys.find(key) ?? current.settings.keys.find(key)
    const caller = declared === null ? andThen(keys.find(key), known) : ringCaller(declared, now())
    return workspace === null
      ? caller
      : andThen(caller, (found) => nameWorkspace(directory, found, workspace))
  }

  async function keyCallerById(id: string): Promise<Caller | null> {
    const declared = adminKeys.findById(id) ?? current.settings.keys.findById(id)
    return declared === null ? keys.findById(id) : ringCaller(declared, now())
  }

  async function sessionCaller({ presented, workspace, csrf, isSafe }: Claim): Promise<Caller> {
    const needsCsrf = presented.isCookie && !isSafe
    return sessions.find({ token: presented.text, csrf: needsCsrf ? { given: csrf } : null, workspace })
  }

  function callerOf(claim: Claim): MaybePromise<Caller> {
    switch (claim.presented.kind) {
      case 'key':
        return keyCaller(claim)
      case 'session':
        return sessionCaller(claim)
      case 'jwt':
        return andThen(tokens.find(claim.presented.text), (caller) =>
          nameWorkspace(directory, caller, claim.workspace),
        )
      case 'scim':
        return scimTokens.find(claim.presented.text, claim.path)
      default:
        throw new GatewayError('invalid_api_key', 'This kind of token is not valid for this route.')
    }
  }

  return {
    find: (claim) =>
      andThen(callerOf(claim), (caller) =>
        andThen(addresses.check(caller, claim.client), () => note(caller)),
      ),
    async findSubject(subject, client) {
      const caller = await sessions.findSubject(subject)
      await addresses.check(caller, client)
      return note(caller)
    },
    async findAgain(identity) {
      if (identity.type === 'jwt') return { identity, key: null, allowsAddress: null }
      const { keyId, workspaceId } = identity
      const found =
        keyId === null && identity.type !== 'admin'
          ? await sessions.findPerson(identity)
          : withVersion(known(await keyCallerById(keyId ?? operatorKeyId)), identity)
      return nameWorkspace(directory, found, workspaceId === '' ? null : workspaceId)
    },
    async findInWorkspaces(identity) {
      const { organisationId, role, userId } = identity
      const memberId = role === 'member' ? userId : null
      const slugs = await directory.workspaceSlugs(organisationId, memberId, maxWorkspaces)
      return Promise.all(slugs.map((slug) => sessions.findPerson({ ...identity, workspaceId: slug })))
    },
    isAddressAllowed: addresses.isAllowedBy,
    noteUse: lastUsed.note,
    flush: lastUsed.flush,
    async close() {
      unwatch()
      await lastUsed.close()
    },
  }
}

function known(caller: Caller | null): Caller {
  if (caller === null) throw unknownKey()
  return caller
}

/** Created once per version: values derived from an identity are cached by the object. */
const versions = new WeakMap<Caller, Map<number | null, Caller>>()

/** A key found by its id does not tell which of its secrets was used. */
function withVersion(caller: Caller, { keyVersion }: Identity): Caller {
  if (caller.identity.keyVersion === keyVersion) return caller
  const made = versions.get(caller) ?? new Map<number | null, Caller>()
  versions.set(caller, made)
  const known = made.get(keyVersion) ?? { ...caller, identity: { ...caller.identity, keyVersion } }
  made.set(keyVersion, known)
  return known
}

const ringCallers = new WeakMap<Key, Caller>()

function ringCaller(key: Key, nowMs: number): Caller {
  if (key.expiresAt !== null && key.expiresAt <= nowMs) {
    throw new GatewayError('expired_api_key', 'The gateway key has expired.')
  }
  const made = ringCallers.get(key)
  if (made !== undefined) return made
  const caller: Caller = { identity: key.identity, key: null, allowsAddress: key.allowsAddress }
  ringCallers.set(key, caller)
  return caller
}
