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

/** Where the keys come from, or who is asked: one of them. */
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
      'An endpoint of RFC 7662 that is asked about each token, by POST; it must answer {active: true, …}.',
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
      description: 'The gateway’s own name at introspectEndpoint, for basic authentication.',
    }),
  ),
  introspectClientSecret: Type.Optional(
    Type.String({ minLength: 1, description: 'The secret that belongs to introspectClientId.' }),
  ),
  introspectCacheMaxAge: seconds(
    0,
    'Seconds for which an answer of introspectEndpoint is kept. 0: it is not.',
  ),
}

const tokenRules = {
  headerKey: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      default: 'Authorization',
      description:
        'The header that carries the token, alone or behind "Bearer". The gateway’s own key is never read as a token: ' +
        'with Authorization it must come in x-gateway-api-key, and the provider’s credential must be a stored one.',
    }),
  ),
  cacheMaxAge: seconds(
    86_400,
    'Seconds for which the keys of jwksUri are kept. A key that is not known is fetched at once.',
  ),
  clockTolerance: seconds(5, 'Seconds by which clocks may differ.'),
  maxTokenAge: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,8}[smhd]$',
      default: '1d',
      description:
        'How long ago a token may have been issued (its iat), such as 30s, 5m, 12h or 1d. A signed token must say when.',
    }),
  ),
  algorithms: Type.Optional(
    Type.Array(Type.Unsafe<string>({ type: 'string', enum: algorithms }), {
      minItems: 1,
      default: ['RS256'],
      description: 'The algorithms that a signature may have. Symmetric ones and none are never allowed.',
    }),
  ),
  audience: oneOrMore('What the token must be for (aud): one of these.'),
  issuer: oneOrMore('Who must have issued the token (iss): one of these.'),
}

const claimRules = {
  requiredClaims: names('Claims that the token must have, such as sub or exp.'),
  claimValues: Type.Optional(
    Type.Record(Type.String(), claimValue, {
      default: {},
      description:
        'By claim, {values, matchType}: the claim is one of the values (exact, the default), contains one of them, ' +
        'contains all of them (containsAll), or matches one of them as a rule (regex). A list contains its items, a ' +
        'scope its words, another text its parts.',
    }),
  ),
  headerPayloadMatch: names('Names whose values in the token’s header and in its claims must be the same.'),
  extractClaims: names(
    'Claims that are told in the result’s data, and so in hook_results and in the log: nothing that is secret.',
  ),
  claimPrefix: Type.Optional(
    Type.String({ default: 'x-jwt-', description: 'What the names of extracted claims begin with.' }),
  ),
}

export const jwtParameters = Type.Object(
  { ...sources, ...tokenRules, ...claimRules },
  { additionalProperties: false },
)

type Given = Static<typeof jwtParameters>
type Source = 'jwksUri' | 'jwks' | 'introspectEndpoint' | 'introspectClientId' | 'introspectClientSecret'

/** The parameters once the defaults stand in them. */
export type JwtParameters = Required<Omit<Given, Source>> & Pick<Given, Source>
