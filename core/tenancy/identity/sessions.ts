/**
 * Sessions of a signed-in person or key, sent as a bearer token or as a cookie. Errors: `invalid_api_key` (unknown or
 * ended), `session_expired`, `forbidden` (a cookie without its CSRF token).
 */
import { hash, timingSafeEqual } from 'node:crypto'
import {
  type DocumentChange,
  GatewayError,
  type Identity,
  isObject,
  type TokenSubject,
} from '@gateway/contract'
import { hashKeyOf, kinds, type SessionData, type TypedDocuments, type UserData } from '@gateway/domain'
import type { Caller } from '@gateway/flow'
import type { Directory, Known, Place, Surroundings } from './directory.ts'
import { createDocumentCache } from './document-cache.ts'
import { findLiveWorkspace, nameWorkspace, unknownWorkspace } from './named-workspace.ts'
import { isActive, rightsOfRole } from './rights.ts'

const maxSessions = 20_000

/** How a session was sent. */
interface PresentedSession {
  token: string
  /** The value of `x-gateway-csrf`, for a cookie with any method other than GET. */
  csrf: { given: string | null } | null
  /** Id or slug of the workspace that the request specifies. */
  workspace: string | null
}

export interface Sessions {
  find(presented: PresentedSession): Promise<Caller>
  /** A signed-in person, with their current rights; the session may have ended. */
  findPerson(identity: Identity): Promise<Caller>
  /** The issuer of a token, with their current rights. */
  findSubject(subject: TokenSubject): Promise<Caller>
  forget(changes: readonly DocumentChange[]): void
}

export interface SessionsOptions {
  documents: TypedDocuments
  directory: Directory
  /** The caller on behalf of a key that signed in. */
  findKey(id: string): Promise<Caller | null>
  now(): number
}

export function createSessions({ documents, directory, findKey, now }: SessionsOptions): Sessions {
  const byHash = createDocumentCache({
    kind: kinds.session,
    find: (hash) => documents.findByKey(kinds.session, hashKeyOf(hash)),
    make: (document) => ({ document, data: document.data }),
    max: maxSessions,
    now,
  })

  /** Whether the session is within its own lifetime and the organisation's current limit. */
  async function checkTime({ document, data }: Known<SessionData>, organisationId: string): Promise<void> {
    const place = { organisationId, workspaceId: null, userId: data.user_id ?? '' }
    const { organisation } = directory.peek(place) ?? (await directory.load(place))
    const settings = organisation?.data.settings.session_settings
    const maxTtl = isObject(settings) ? settings.max_session_ttl : null
    const endsAt = Math.min(
      Date.parse(data.expires_at),
      typeof maxTtl === 'number' ? document.created_at + maxTtl * 1000 : Number.POSITIVE_INFINITY,
    )
    if (endsAt <= now()) throw new GatewayError('session_expired', 'The session has expired: sign in again.')
  }

  async function callerOf(session: Known<SessionData>, workspace: string | null): Promise<Caller> {
    const { document, data } = session
    const organisationId = document.organisation_id ?? ''
    await checkTime(session, organisationId)
    if (data.api_key_id !== null) {
      const caller = await findKey(data.api_key_id)
      if (caller === null) throw unknownSession()
      const inSession = { ...caller, identity: { ...caller.identity, sessionId: document.id } }
      return nameWorkspace(directory, inSession, workspace)
    }
    return personAt(document.id, { organisationId, userId: data.user_id ?? '', workspace })
  }

  /** @param workspace the workspace that the person specifies, by id or slug */
  async function personAt(
    sessionId: string,
    {
      organisationId,
      userId,
      workspace,
    }: { organisationId: string; userId: string; workspace: string | null },
  ): Promise<Caller> {
    const found = workspace === null ? null : await findLiveWorkspace(directory, organisationId, workspace)
    const place = { organisationId, workspaceId: found?.document.id ?? null, userId }
    const surroundings = directory.peek(place) ?? (await directory.load(place))
    const { user } = surroundings
    if (!isActive(user)) throw unknownSession()
    if (workspace === null || (found !== null && maySee(user.data, surroundings)))
      return personCaller(sessionId, place, { ...surroundings, user })
    const memberId = user.data.role === 'member' ? userId : null
    throw unknownWorkspace(workspace, await directory.workspaceSlugs(organisationId, memberId))
  }

  return {
    async find({ token, csrf, workspace }) {
      const lookup = hash('sha256', token)
      const session = byHash.peek(lookup) ?? (await byHash.load(lookup))
      if (session === null || session.document.status !== 'active') throw unknownSession()
      if (csrf !== null && !isEqual(csrf.given, session.data.csrf_token)) {
        throw new GatewayError(
          'forbidden',
          'A session cookie needs x-gateway-csrf with the csrf_token of its session.',
          {
            param: 'header/x-gateway-csrf',
          },
        )
      }
      return callerOf(session, workspace)
    },
    async findPerson({ sessionId = '', organisationId, workspaceId, userId }) {
      return personAt(sessionId, {
        organisationId,
        userId: userId ?? '',
        workspace: workspaceId === '' ? null : workspaceId,
      })
    },
    async findSubject({ organisationId, workspaceId, userId, keyId }) {
      if (keyId === null)
        return asToken(await personAt('', { organisationId, userId: userId ?? '', workspace: workspaceId }))
      const caller = await findKey(keyId)
      if (caller === null) throw unknownSession()
      return asToken(await nameWorkspace(directory, caller, workspaceId))
    },
    forget: byHash.forget,
  }
}

/** The token is bound to the workspace for which it was issued. */
function asToken(caller: Caller): Caller {
  const { sessionId: _, ...identity } = caller.identity
  return { ...caller, identity: { ...identity, type: 'oauth', boundWorkspaceId: identity.workspaceId } }
}

const unknownSession = () => new GatewayError('invalid_api_key', 'The session is unknown or has ended.')

/** Both are hashed first, which makes the comparison time independent of their lengths. */
function isEqual(given: string | null, expected: string): boolean {
  return (
    given !== null && timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
  )
}

/** Members of the organisation see their own workspaces; other roles see all. */
const maySee = ({ role }: UserData, { member }: Surroundings): boolean =>
  role !== 'member' || member?.document.status === 'active'

function personCaller(
  sessionId: string,
  { organisationId }: Place,
  surroundings: Surroundings & { user: Known<UserData> },
): Caller {
  const { user, workspace } = surroundings
  const { role } = user.data
  return {
    identity: {
      type: 'session',
      keyId: null,
      keyVersion: null,
      sessionId,
      name: user.data.email,
      organisationId,
      boundWorkspaceId: null,
      workspace: workspace?.document.slug ?? '',
      workspaceId: workspace?.document.id ?? '',
      userId: user.document.id,
      role,
      scopes: rightsOfRole(role, surroundings),
    },
    key: null,
    allowsAddress: null,
  }
}
