/**
 * Authenticates JWTs: organisation, workspace, scopes, and the member with the token's e-mail address. Errors: see
 * jwt-verify.ts; 401 `jwt_organisation_unknown`, 403 `jwt_workspace_unknown`, `jwt_no_scopes`.
 */
import { createHash } from 'node:crypto'
import {
  GatewayError,
  type Identity,
  isGatewayError,
  type JsonObject,
  type KeySets,
  type StoredDocument,
} from '@gateway/contract'
import {
  classMayHold,
  expandScope,
  type KeyTerms,
  type OrganisationData,
  type UserData,
  type WorkspaceData,
} from '@gateway/domain'
import { atMost, type Caller } from '@gateway/flow'
import { LRUCache } from 'lru-cache'
import type { Directory, Known, Surroundings } from './directory.ts'
import { type JwtSettings, jwtSettingsOf } from './jwt-settings.ts'
import { termsOf } from './jwt-terms.ts'
import { claimOf, decodeToken, textClaimOf } from './jwt-token.ts'
import { checkClaims, verifySignature } from './jwt-verify.ts'
import { isActive, rightsWithinRole } from './rights.ts'

const maxTokens = 10_000
/** After this time the signature is verified again: the issuer may have withdrawn its key. */
const verifiedForMs = 60_000

export interface JwtCallers {
  find(token: string): Promise<Caller>
}

export interface JwtCallersOptions {
  directory: Directory
  keySets: KeySets
  now(): number
}

interface VerifiedToken {
  /** The organisation at that time. If its settings change, the token counts as new. */
  organisation: OrganisationData
  payload: JsonObject
  terms: StoredDocument<KeyTerms> | null
  verifiedAt: number
}

export function createJwtCallers({ directory, keySets, now }: JwtCallersOptions): JwtCallers {
  const verified = new LRUCache<string, VerifiedToken>(atMost(maxTokens))

  async function verify(
    token: string,
    settings: JwtSettings,
    data: OrganisationData,
  ): Promise<VerifiedToken> {
    const hash = createHash('sha256').update(token).digest('base64url')
    const known = verified.get(hash)
    if (known !== undefined && known.organisation === data && now() - known.verifiedAt < verifiedForMs)
      return known
    const { payload } = await verifySignature(token, settings, keySets)
    const { jti } = payload
    const owner = `jwt:${typeof jti === 'string' && jti !== '' && jti.length <= 255 ? jti : hash}`
    const entry = { organisation: data, payload, terms: termsOf(payload, owner), verifiedAt: now() }
    verified.set(hash, entry)
    return entry
  }

  async function callerOf(token: string, organisation: Known<OrganisationData>): Promise<Caller> {
    const settings = jwtSettingsOf(organisation.data)
    const { payload, terms } = await verify(token, settings, organisation.data)
    checkClaims(payload, settings, now())
    const workspace = await workspaceOf(payload, settings, { organisation, directory })
    const granted = grantedScopes(payload, settings)
    const person = await personOf(payload, settings, { organisation, workspace, directory })
    const scopes =
      person === null ? granted : rightsWithinRole(granted, person.user.data.role, person.surroundings)
    if (scopes.size === 0) {
      throw new GatewayError('jwt_no_scopes', 'The token grants none of the scopes that it may have here.')
    }
    const identity: Identity = {
      type: 'jwt',
      keyId: null,
      keyVersion: null,
      name: person?.user.data.email ?? textClaimOf(payload, settings.claims.user) ?? 'jwt',
      organisationId: organisation.document.id,
      boundWorkspaceId: workspace.document.id,
      workspace: workspace.document.slug ?? '',
      workspaceId: workspace.document.id,
      userId: person?.user.document.id ?? null,
      role: person?.user.data.role ?? null,
      scopes,
    }
    return { identity, key: terms, allowsAddress: null }
  }

  return {
    async find(token) {
      const organisation = organisationOf(decodeToken(token).payload, await directory.organisations())
      try {
        return await callerOf(token, organisation)
      } catch (error) {
        if (isGatewayError(error)) refusedBy.set(error, organisation.document.id)
        throw error
      }
    },
  }
}

const refusedBy = new WeakMap<GatewayError, string>()

/** The organisation whose rules refused a token; null for an error that belongs to none. */
export const organisationRefusing = (error: GatewayError): string | null => refusedBy.get(error) ?? null

/**
 * The organisation specified by the token's claims, as that organisation reads them; otherwise the only organisation.
 */
function organisationOf(
  payload: JsonObject,
  organisations: readonly Known<OrganisationData>[],
): Known<OrganisationData> {
  let named: string | null = null
  for (const organisation of organisations) {
    const claim = textClaimOf(payload, jwtSettingsOf(organisation.data).claims.organisation)
    if (claim === null) continue
    named = claim
    const { id, slug } = organisation.document
    if (claim === id || claim === slug) return organisation
  }
  const [only] = organisations
  if (named === null && only !== undefined && organisations.length === 1) return only
  const message =
    named === null
      ? 'The token specifies no organisation, and there is not exactly one.'
      : `The token specifies the unknown organisation ${JSON.stringify(named.slice(0, 100))}.`
  throw new GatewayError('jwt_organisation_unknown', message)
}

interface WorkspaceOptions {
  organisation: Known<OrganisationData>
  directory: Directory
}

async function workspaceOf(
  payload: JsonObject,
  settings: JwtSettings,
  { organisation: { document, data }, directory }: WorkspaceOptions,
): Promise<Known<WorkspaceData>> {
  const claim = claimOf(payload, settings.claims.workspace)
  const name = claim === undefined ? data.default_workspace_id : claim
  const found = typeof name === 'string' ? await directory.findWorkspace(document.id, name) : null
  if (found === null || found.document.status !== 'active') {
    const shown = JSON.stringify(name).slice(0, 100)
    throw new GatewayError('jwt_workspace_unknown', `The token specifies the unknown workspace ${shown}.`)
  }
  return found
}

/** At most the scopes of a workspace key; unknown scopes in the claim are ignored. */
function grantedScopes(payload: JsonObject, settings: JwtSettings): ReadonlySet<string> {
  const claim = claimOf(payload, settings.claims.scopes)
  const written =
    typeof claim === 'string'
      ? claim.split(/\s+/)
      : Array.isArray(claim)
        ? claim.filter((item) => typeof item === 'string')
        : settings.defaultScopes
  const scopes = written.flatMap(
    (scope) => expandScope(scope.replace(/^gateway\./, ''), 'workspace-service') ?? [],
  )
  return new Set(scopes.filter((scope) => classMayHold(scope, 'workspace-service')))
}

interface PersonOptions {
  organisation: Known<OrganisationData>
  workspace: Known<WorkspaceData>
  directory: Directory
}

/** The member of the workspace with the token's e-mail address; null without such a member. */
async function personOf(
  payload: JsonObject,
  settings: JwtSettings,
  { organisation, workspace, directory }: PersonOptions,
): Promise<{ user: Known<UserData>; surroundings: Surroundings } | null> {
  const email = textClaimOf(payload, settings.claims.user)
  if (email === null || !email.includes('@')) return null
  const user = await directory.findUser(email)
  if (user === null || user.document.organisation_id !== organisation.document.id) return null
  if (!isActive(user)) {
    throw new GatewayError('jwt_no_scopes', 'The user of the token is deactivated.')
  }
  const place = {
    organisationId: organisation.document.id,
    workspaceId: workspace.document.id,
    userId: user.document.id,
  }
  const surroundings = directory.peek(place) ?? (await directory.load(place))
  const isMember = user.data.role !== 'member' || surroundings.member?.document.status === 'active'
  return isMember ? { user, surroundings } : null
}
