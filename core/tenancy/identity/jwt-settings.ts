/** `auth_settings.jwt` of an organisation (management contract, section 8), with defaults filled in. */
import { isObject, type JsonObject } from '@gateway/contract'
import { jwtSettings, type OrganisationData } from '@gateway/domain'

const jwtAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA'],
] as const

export interface JwtSettings {
  enabled: boolean
  jwksUri: string | null
  /** Public keys; null if they are fetched. */
  jwks: readonly JsonObject[] | null
  issuer: string | null
  audience: readonly string[] | null
  algorithms: readonly string[]
  toleranceMs: number
  maxTokenAgeMs: number | null
  cacheMaxAgeMs: number
  defaultScopes: readonly string[]
  claims: Readonly<Record<'organisation' | 'workspace' | 'scopes' | 'user', readonly string[]>>
}

const read = new WeakMap<OrganisationData, JwtSettings>()

/** Read once per version of the organisation. */
export function jwtSettingsOf(organisation: OrganisationData): JwtSettings {
  const known = read.get(organisation)
  if (known !== undefined) return known
  const settings = readSettings(jwtSettings(organisation))
  read.set(organisation, settings)
  return settings
}

function readSettings(jwt: JsonObject): JwtSettings {
  const claims = isObject(jwt.claims) ? jwt.claims : {}
  const names = (claim: keyof JwtSettings['claims']) => texts(claims[claim]) ?? []
  return {
    enabled: jwt.enabled === true,
    jwksUri: typeof jwt.jwks_uri === 'string' ? jwt.jwks_uri : null,
    jwks: isObject(jwt.jwks) && Array.isArray(jwt.jwks.keys) ? jwt.jwks.keys.filter(isObject) : null,
    issuer: typeof jwt.issuer === 'string' ? jwt.issuer : null,
    audience: texts(jwt.audience),
    algorithms: (texts(jwt.algorithms) ?? []).filter((name) => jwtAlgorithms.some((known) => known === name)),
    toleranceMs: inMs(jwt.clock_tolerance) ?? 0,
    maxTokenAgeMs: inMs(jwt.max_token_age),
    cacheMaxAgeMs: inMs(jwt.cache_max_age) ?? 0,
    defaultScopes: texts(jwt.default_scopes) ?? [],
    claims: {
      organisation: names('organisation'),
      workspace: names('workspace'),
      scopes: names('scopes'),
      user: names('user'),
    },
  }
}

const inMs = (seconds: unknown) => (typeof seconds === 'number' && seconds >= 0 ? seconds * 1000 : null)

function texts(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null
}
