/** Rules of `auth_settings` that a schema cannot express, and its one secret (management.md §5, §8). */

import { isObject, type Json, type JsonObject } from '@gateway/contract'
import {
  destinationOf,
  expandScope,
  isMasked,
  mask,
  type OrganisationData,
  scopesOfClass,
  unknownName,
} from '@gateway/domain'
import { openSecrets, sealTogether, type Write } from '../engine/index.ts'
import { isKeptElsewhere } from '../shared/index.ts'
import { isRootDomain } from './root-domain.ts'

const root = '/auth_settings'
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'r', 't']

/** Records errors, and moves the client secret out of the plain-text data. */
export function takeAuthSettings(write: Write<OrganisationData, 'checkUrl'>): void {
  const { draft } = write
  if (!write.isGiven('auth_settings')) return
  const settings = withOneKeySource({ ...(draft.data.auth_settings ?? {}) }, write)
  checkDomains(settings, write)
  if (isObject(settings.jwt)) checkJwt(settings.jwt, write)
  if (isObject(settings.oidc)) checkUrl(settings.oidc.issuer, `${root}/oidc/issuer`, write)
  draft.data.auth_settings = sealClientSecret(settings, write)
}

/** Setting one source of a token's keys clears the other. */
function withOneKeySource(settings: JsonObject, { body }: Write<OrganisationData>): JsonObject {
  const given = isObject(body.auth_settings) ? body.auth_settings.jwt : null
  if (!isObject(given) || !isObject(settings.jwt)) return settings
  const { jwks_uri: uri = null, jwks = null } = given
  if (uri !== null && jwks === null) return { ...settings, jwt: { ...settings.jwt, jwks: null } }
  if (jwks !== null && uri === null) return { ...settings, jwt: { ...settings.jwt, jwks_uri: null } }
  return settings
}

function checkDomains({ allowed_domains: domains }: JsonObject, { fault }: Write<OrganisationData>): void {
  if (!Array.isArray(domains)) return
  for (const [index, entry] of domains.entries()) {
    if (!isObject(entry) || entry.allow_subdomains !== true) continue
    if (isRootDomain(String(entry.domain))) continue
    fault(
      `${root}/allowed_domains/${index}/allow_subdomains`,
      'must be a registrable root domain, for example example.com',
    )
  }
}

function checkJwt(jwt: JsonObject, write: Write<OrganisationData, 'checkUrl'>): void {
  const at = `${root}/jwt`
  const [uri, jwks] = [jwt.jwks_uri ?? null, jwt.jwks ?? null]
  if (uri !== null && jwks !== null) write.fault(`${at}/jwks`, 'must be omitted when jwks_uri is set')
  if (jwt.enabled === true && uri === null && jwks === null) {
    write.fault(`${at}/jwks_uri`, 'is required unless jwks is set')
  }
  checkUrl(uri, `${at}/jwks_uri`, write)
  checkDefaultScopes(jwt, `${at}/default_scopes`, write)
  const keys: Json = isObject(jwks) ? (jwks.keys ?? null) : null
  if (!Array.isArray(keys)) return
  for (const [index, key] of keys.entries()) {
    const found = isObject(key) ? privateMembers.find((member) => key[member] !== undefined) : undefined
    if (found !== undefined)
      write.fault(`${at}/jwks/keys/${index}/${found}`, 'must be omitted: it is a private member of a key')
  }
}

/** A token may have the scopes that a workspace's key may have, with the gateway's prefix or without. */
function checkDefaultScopes(
  { default_scopes: scopes }: JsonObject,
  param: string,
  { fault }: Write<OrganisationData>,
): void {
  if (!Array.isArray(scopes)) return
  for (const [index, scope] of scopes.entries()) {
    const known = expandScope(String(scope).replace(/^gateway\./, ''), 'workspace-service')
    if (known === null)
      fault(
        `${param}/${index}`,
        unknownName({ what: 'scope', written: String(scope), known: scopesOfClass('workspace-service') }),
        'unknown_scope',
      )
  }
}

function checkUrl(
  url: Json | undefined,
  param: string,
  { call, fault }: Write<OrganisationData, 'checkUrl'>,
): void {
  if (typeof url !== 'string') return
  const reason = call.context.checkUrl(url)
  if (reason !== null) fault(param, reason, 'host_not_allowed')
}

/**
 * `oidc.client_secret` is stored encrypted. Its mask stays in `oidc` and keeps the secret as long as the issuer does
 * not change.
 */
function sealClientSecret(settings: JsonObject, write: Write<OrganisationData>): JsonObject {
  const { draft, before, call } = write
  const { data } = draft
  const { oidc } = settings
  const given = isObject(oidc) ? (oidc.client_secret ?? null) : null
  if (!isObject(oidc) || typeof given !== 'string') {
    data.sealed = null
    return settings
  }
  const { sealer } = call.context
  const shown = (secret: string | null) => ({
    ...settings,
    oidc: { ...oidc, client_secret: secret === null ? null : mask(secret) },
  })
  if (isMasked(given)) {
    const kept = before === null ? null : openSecrets(before, sealer).client_secret
    if (typeof kept !== 'string') return shown(null)
    if (isElsewhere(before?.data.auth_settings, oidc)) {
      write.fault(`${root}/oidc/client_secret`, isKeptElsewhere)
    }
    return shown(kept)
  }
  data.sealed = sealTogether({ client_secret: given }, draft, sealer)
  return shown(given)
}

const isElsewhere = (before: JsonObject | undefined, oidc: JsonObject): boolean =>
  destinationOf(isObject(before?.oidc) ? before.oidc : {}) !== destinationOf(oidc)
