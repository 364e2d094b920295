/**
 * `default.jwt`: the request contains a valid token of a caller known to another system. Keys come from a URL or from
 * the parameters, or an authorisation server verifies the token. References: RFC 7519, RFC 7517, RFC 7662. If neither
 * keys nor server are reachable, the result is an error, not a verdict: such a hook needs `fail_closed`.
 */
import type { Check, CheckIo, JsonObject } from '@gateway/contract'
import { checkURL } from './shared/endpoint-call.ts'
import { createClaimTest, toldClaims } from './shared/jwt/claims.ts'
import { createIntrospection } from './shared/jwt/introspect.ts'
import { keySetOf } from './shared/jwt/key-sets.ts'
import { type JwtParameters, jwtParameters } from './shared/jwt/parameters.ts'
import { type TokenResult, type TokenRules, tokenOf } from './shared/jwt/token.ts'
import { verifyToken } from './shared/jwt/verify.ts'

export const jwt: Check<JwtParameters> = {
  id: 'jwt',
  title: 'JWT',
  description:
    'Passes when the header contains a token whose signature, times, audience, issuer and claims are valid. The reason ' +
    'for a refusal is in the data, which contains only the names of claims. Keys that cannot be fetched are an ' +
    'error, which only a hook with fail_closed treats as a failure.',
  kind: 'guardrail',
  phases: ['before'],
  parameters: jwtParameters,
  headerParameter: 'headerKey',
  prepare(parameters) {
    const examine = createExamination(parameters)
    const testClaims = createClaimTest(parameters)
    const { extractClaims, claimPrefix } = parameters
    checkToldNames(extractClaims)
    return {
      async run(_input, io) {
        const token = tokenOf(io.header ?? '')
        if (token === '') return { verdict: false, data: { reason: 'jwt_missing' } }
        const result = await examine(token, io)
        const refused = 'reason' in result ? result : testClaims(result)
        if (refused !== null) return { verdict: false, data: refused }
        const claims = 'claims' in result ? toldClaims(result.claims, extractClaims, claimPrefix) : {}
        return { verdict: true, data: { claims } }
      },
    }
  },
}

type Examine = (token: string, io: CheckIo) => Promise<TokenResult>

function createExamination(parameters: JwtParameters): Examine {
  const { jwksUri, jwks, introspectEndpoint } = parameters
  const given = [jwksUri, jwks, introspectEndpoint].filter((source) => source !== undefined)
  if (given.length !== 1) throw new Error('one of jwksUri, jwks and introspectEndpoint must be given')
  const rules = rulesOf(parameters)
  if (jwks !== undefined) {
    jwks.keys.forEach(checkKey)
    const keys = keySetOf(jwks.keys)
    return (token, io) => verifyToken(token, keys, { rules, nowMs: io.now() })
  }
  if (jwksUri !== undefined) return byUrl(jwksUri, parameters.cacheMaxAge, rules)
  return byIntrospection(introspectEndpoint ?? '', parameters, rules)
}

function byUrl(jwksUri: string, cacheMaxAge: number, rules: TokenRules): Examine {
  checkURL('jwksUri', jwksUri)
  return async (token, io) => {
    const first = await verifyToken(
      token,
      async (...asked) => keySetOf(await io.keySets.get(jwksUri, cacheMaxAge * 1000))(...asked),
      { rules, nowMs: io.now() },
    )
    if (!('reason' in first) || first.reason !== 'jwt_key_not_found') return first
    // Without newer keys the token's key stays unknown, and the verdict is false.
    const renewed = await io.keySets.renew(jwksUri).catch(() => null)
    return renewed === null ? first : verifyToken(token, keySetOf(renewed), { rules, nowMs: io.now() })
  }
}

function byIntrospection(endpoint: string, parameters: JwtParameters, rules: TokenRules): Examine {
  checkURL('introspectEndpoint', endpoint)
  const { introspectClientId: clientId, introspectClientSecret: clientSecret } = parameters
  if (clientSecret !== undefined && clientId === undefined)
    throw new Error('introspectClientSecret requires introspectClientId')
  return createIntrospection(
    {
      endpoint,
      contentType: parameters.introspectContentType,
      clientId,
      clientSecret,
      cacheSeconds: parameters.introspectCacheMaxAge,
    },
    rules,
  )
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

function rulesOf(parameters: JwtParameters): TokenRules {
  const { algorithms, audience, issuer, maxTokenAge, clockTolerance } = parameters
  return {
    algorithms,
    audience: [audience].flat(),
    issuer: [issuer].flat(),
    maxAgeSeconds: Number(maxTokenAge.slice(0, -1)) * (unitSeconds[maxTokenAge.slice(-1)] ?? 1),
    toleranceSeconds: clockTolerance,
  }
}

/** Members of private and symmetric keys, which must not be here (RFC 7518, 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

function checkKey(key: JsonObject, index: number): void {
  if (typeof key.kty !== 'string') throw new Error(`jwks/keys/${index} has no kty`)
  const secret = privateMembers.find((member) => member in key)
  if (secret !== undefined) throw new Error(`jwks/keys/${index} is not a public key: it has "${secret}"`)
}

const secretNames = /token|secret|password|nonce|hash|key/i

/** @throws Error for a claim whose name is that of a secret */
function checkToldNames(names: readonly string[]): void {
  const secret = names.find((name) => secretNames.test(name))
  if (secret !== undefined)
    throw new Error(`extractClaims must not contain "${secret}", because extracted claims are logged`)
}
