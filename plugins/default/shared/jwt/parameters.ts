/** The parameters of `default.jwt`. */
import type { JsonObject } from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'
import { endpointURL } from '../endpoint-call.ts'
import { choice } from '../parameters.ts'
import { algorithms } from './verify.ts'

const seconds = (value: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, default: value, description }))

const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { default: [], description }))

const oneOrMore = (description: string) =>
  Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }))], {
      default: [],
      description,
    }),
  )

const claimValue = Type.Object(
  {
    values: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]),
    matchType: Type.Optional(
      choice(['exact', 'contains', 'containsAll', 'regex'], 'How the claim is compared with the values.'),
    ),
  },
  { additionalProperties: false },
)

/** The source of the keys, or the introspection endpoint: exactly one of them. */
const sources = {
  jwksUri: Type.Optional(
    endpointURL('The URL of the key set. One of jwksUri, jwks and introspectEndpoint must be given.'),
  ),
  jwks: Type.Optional(
    Type.Object(
      { keys: Type.Array(Type.Unsafe<JsonObject>({ type: 'object' }), { minItems: 1 }) },
      { additionalProperties: false, description: 'The key set itself: {keys: […]}, public keys only.' },
    ),
  ),
  introspectEndpoint: Type.Optional(
    endpointURL(
      'An RFC 7662 endpoint that each token is sent to with POST. It must answer {active: true, …}.',
    ),
  ),
  introspectContentType: Type.Optional(
    choice(
      ['application/x-www-form-urlencoded', 'application/json'],
      'How the token is sent to introspectEndpoint.',
    ),
  ),
  introspectClientId: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The gateway’s client id at introspectEndpoint, for basic authentication.',
    }),
  ),
  introspectClientSecret: Type.Optional(
    Type.String({ minLength: 1, description: 'The secret of introspectClientId.' }),
  ),
  introspectCacheMaxAge: seconds(
    0,
    'How many seconds an answer of introspectEndpoint is cached. 0: not at all.',
  ),
}

const tokenRules = {
  headerKey: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      default: 'Authorization',
      description:
        'The header with the token, alone or after "Bearer". The gateway’s own key is never read as a token: ' +
        'with Authorization it must come in x-gateway-api-key, and the provider’s credential must be a stored one.',
    }),
  ),
  cacheMaxAge: seconds(
    86_400,
    'How many seconds the keys of jwksUri are cached. An unknown key is fetched immediately.',
  ),
  clockTolerance: seconds(5, 'The tolerated clock difference in seconds.'),
  maxTokenAge: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,8}[smhd]$',
      default: '1d',
      description:
        'How long ago a token may have been issued (its iat), such as 30s, 5m, 12h or 1d. A signed token must have iat.',
    }),
  ),
  algorithms: Type.Optional(
    Type.Array(Type.Unsafe<string>({ type: 'string', enum: algorithms }), {
      minItems: 1,
      default: ['RS256'],
      description: 'The accepted signature algorithms. Symmetric ones and none are never accepted.',
    }),
  ),
  audience: oneOrMore('Accepted audiences (aud): the token must have one of them.'),
  issuer: oneOrMore('Accepted issuers (iss): the token must have one of them.'),
}

const claimRules = {
  requiredClaims: names('Claims that the token must have, such as sub or exp.'),
  claimValues: Type.Optional(
    Type.Record(Type.String(), claimValue, {
      default: {},
      description:
        'By claim, {values, matchType}: the claim is one of the values (exact, the default), contains one of them, ' +
        'contains all of them (containsAll), or matches one of them as a pattern (regex). A list contains its items, a ' +
        'scope its words, another text its substrings.',
    }),
  ),
  headerPayloadMatch: names('Names whose values in the token’s header and in its claims must be the same.'),
  extractClaims: names(
    'Claims to include in the result’s data, and therefore in hook_results and the log. They must not be secret.',
  ),
  claimPrefix: Type.Optional(
    Type.String({ default: 'x-jwt-', description: 'The prefix of the names of extracted claims.' }),
  ),
}

export const jwtParameters = Type.Object(
  { ...sources, ...tokenRules, ...claimRules },
  { additionalProperties: false },
)

type Given = Static<typeof jwtParameters>
type Source = 'jwksUri' | 'jwks' | 'introspectEndpoint' | 'introspectClientId' | 'introspectClientSecret'

/** The parameters after defaults are applied. */
export type JwtParameters = Required<Omit<Given, Source>> & Pick<Given, Source>
