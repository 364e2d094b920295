/** `auth_settings` of an organisation (management contract, section 5): defaults of unset members. */

import { isObject, type JsonObject, ownMember } from '@gateway/contract'
import type { OrganisationData } from './entities/index.ts'

const jwtDefaults: JsonObject = {
  enabled: false,
  jwks_uri: null,
  jwks: null,
  issuer: null,
  audience: null,
  algorithms: ['RS256'],
  // These three are in seconds.
  clock_tolerance: 5,
  max_token_age: null,
  cache_max_age: 86_400,
  default_scopes: [],
  claims: {
    organisation: ['gateway_oid', 'organisation_id'],
    workspace: ['gateway_workspace', 'workspace_slug'],
    scopes: ['scope', 'scopes'],
    user: ['email_id', 'sub', 'uid'],
  },
}

const oidcDefaults: JsonObject = {
  client_secret: null,
  scopes: 'openid profile email',
  token_endpoint_auth_method: 'client_secret_basic',
  role_claim: null,
  trust_email: false,
}

const settingDefaults: JsonObject = {
  allowed_domains: [],
  jwt: jwtDefaults,
  oidc: null,
  disable_auto_provision_user: false,
  password_login: true,
  scim_settings: null,
}

type Organisation = Pick<OrganisationData, 'auth_settings'>

/** `auth_settings` with defaults filled in. */
export function authSettings({ auth_settings: given }: Organisation): JsonObject {
  const { allowed_domains: domains, oidc } = given
  return {
    ...filled(settingDefaults, given),
    ...(isObject(oidc) ? { oidc: filled(oidcDefaults, oidc) } : {}),
    ...(Array.isArray(domains)
      ? { allowed_domains: domains.filter(isObject).map((one) => ({ allow_subdomains: false, ...one })) }
      : {}),
  }
}

/** The same for `auth_settings.jwt` alone. */
export const jwtSettings = ({ auth_settings: { jwt } }: Organisation): JsonObject =>
  filled(jwtDefaults, isObject(jwt) ? jwt : {})

/** Null counts as unset; nested objects with defaults are filled in recursively. */
function filled(defaults: JsonObject, given: JsonObject): JsonObject {
  const laid: JsonObject = { ...defaults }
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue
    const below = ownMember(laid, name)
    laid[name] = isObject(below) && isObject(value) ? filled(below, value) : value
  }
  return laid
}
