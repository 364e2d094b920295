/** Cases of the check of tokens, jwt, whose keys stand in its parameters; jwt.test.ts has those that are fetched. */
import type { JsonObject } from '@gateway/contract'
import { type CheckRow, casesOf } from '@gateway/testing'
import { createKey, createToken, forgeTokens, nowSeconds } from './jwt-tokens.ts'

const key = createKey('k1')
const other = createKey('k1')
const rsa = createKey('r1', 'RS256')
const jwks = { keys: [key.jwk, rsa.jwk] }
const common = { jwks, algorithms: ['ES256'] }
const claims = {
  sub: 'ada',
  aud: ['api', 'web'],
  iss: 'https://id.example',
  roles: ['admin', 'dev'],
  tenant: 't1',
}
const forged = forgeTokens(key, claims)

const bearing = (token: string) => ({ io: { header: `Bearer ${token}` } })
const valid = bearing(createToken(key, { ...claims, scope: 'read write', level: 3 }))
const refused = (reason: string, claim?: string) => ({
  verdict: false,
  data: claim === undefined ? { reason } : { reason, claim },
})

interface PairsOptions {
  unmet: JsonObject
  reason: string
  claim: string
}

/** A parameter that the valid token meets, and one that it does not. */
const pairs = (name: string, met: JsonObject, { unmet, reason, claim }: PairsOptions): CheckRow[] => [
  { name: `${name}: passes`, parameters: { ...common, ...met }, ...valid, verdict: true },
  { name: `${name}: fails`, parameters: { ...common, ...unmet }, ...valid, ...refused(reason, claim) },
]
const claimValue = (values: string | string[], matchType: string, claim = 'roles') => ({
  claimValues: { [claim]: { values, matchType } },
})

export const rows = casesOf(
  'jwt',
  [
    { name: 'passes a token that is signed by a known key', ...valid, verdict: true, data: { claims: {} } },
    { name: 'takes a token without the word Bearer', io: { header: createToken(key) }, verdict: true },
    {
      name: 'algorithms: RS256 is the default',
      parameters: { jwks },
      ...bearing(createToken(rsa)),
      verdict: true,
    },
    {
      name: 'algorithms: fails any other',
      parameters: { jwks },
      ...valid,
      ...refused('jwt_algorithm_not_allowed'),
    },
    { name: 'fails without a token', io: { header: null }, ...refused('jwt_missing') },
    { name: 'fails text that is not a token', ...bearing('sk-not-a-token'), ...refused('jwt_malformed') },
    { name: 'fails other schemes', io: { header: 'Basic YTpi' }, ...refused('jwt_malformed') },
    {
      name: 'fails a token without a signature',
      ...bearing(forged.unsigned),
      ...refused('jwt_algorithm_not_allowed'),
    },
    {
      name: 'fails a token whose secret is the public key',
      ...bearing(forged.symmetric),
      ...refused('jwt_algorithm_not_allowed'),
    },
    {
      name: 'fails a signature of another key',
      ...bearing(createToken(other, claims)),
      ...refused('jwt_signature_invalid'),
    },
    {
      name: 'fails an unknown key',
      ...bearing(createToken(createKey('k9'))),
      ...refused('jwt_key_not_found'),
    },
    {
      name: 'fails a token that was changed',
      ...bearing(
        createToken(key).replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"eve"}').toString('base64url')}.`),
      ),
      ...refused('jwt_signature_invalid'),
    },
    {
      name: 'fails a token that has expired',
      ...bearing(createToken(key, { exp: nowSeconds - 6 })),
      ...refused('jwt_expired', 'exp'),
    },
    {
      name: 'fails a token that is not valid yet',
      ...bearing(createToken(key, { nbf: nowSeconds + 6 })),
      ...refused('jwt_not_yet_valid', 'nbf'),
    },
    {
      name: 'clockTolerance: passes within 5 s by default',
      ...bearing(createToken(key, { exp: nowSeconds - 4 })),
      verdict: true,
    },
    {
      name: 'clockTolerance: passes within its seconds',
      parameters: { ...common, clockTolerance: 60 },
      ...bearing(createToken(key, { exp: nowSeconds - 50 })),
      verdict: true,
    },
    {
      name: 'clockTolerance: fails beyond them',
      parameters: { ...common, clockTolerance: 0 },
      ...bearing(createToken(key, { exp: nowSeconds - 1 })),
      ...refused('jwt_expired', 'exp'),
    },
    {
      name: 'maxTokenAge: a day is the default',
      ...bearing(createToken(key, { iat: nowSeconds - 86_300 })),
      verdict: true,
    },
    {
      name: 'maxTokenAge: fails a token that is older',
      ...bearing(createToken(key, { iat: nowSeconds - 86_500 })),
      ...refused('jwt_too_old', 'iat'),
    },
    {
      name: 'maxTokenAge: takes other units',
      parameters: { ...common, maxTokenAge: '30s' },
      ...valid,
      ...refused('jwt_too_old', 'iat'),
    },
    {
      name: 'maxTokenAge: fails a token that does not say when it was issued',
      ...bearing(createToken(key, { iat: null as never })),
      verdict: false,
    },
    ...pairs(
      'audience',
      { audience: 'web' },
      { unmet: { audience: 'mobile' }, reason: 'jwt_claim_mismatch', claim: 'aud' },
    ),
    ...pairs(
      'audience, a list',
      { audience: ['mobile', 'api'] },
      { unmet: { audience: ['mobile'] }, reason: 'jwt_claim_mismatch', claim: 'aud' },
    ),
    ...pairs(
      'issuer',
      { issuer: 'https://id.example' },
      { unmet: { issuer: ['https://other.example'] }, reason: 'jwt_claim_mismatch', claim: 'iss' },
    ),
    ...pairs(
      'requiredClaims',
      { requiredClaims: ['sub', 'exp'] },
      { unmet: { requiredClaims: ['sub', 'email'] }, reason: 'jwt_claim_missing', claim: 'email' },
    ),
    ...pairs(
      'claimValues',
      { claimValues: { tenant: { values: ['t0', 't1'] } } },
      { unmet: { claimValues: { tenant: { values: 't' } } }, reason: 'jwt_claim_mismatch', claim: 'tenant' },
    ),
    ...pairs('claimValues exact', claimValue('3', 'exact', 'level'), {
      unmet: claimValue('admin', 'exact'),
      reason: 'jwt_claim_mismatch',
      claim: 'roles',
    }),
    ...pairs('claimValues contains', claimValue(['owner', 'dev'], 'contains'), {
      unmet: claimValue(['adm'], 'contains'),
      reason: 'jwt_claim_mismatch',
      claim: 'roles',
    }),
    ...pairs('claimValues contains, a text', claimValue('1', 'contains', 'tenant'), {
      unmet: claimValue('2', 'contains', 'tenant'),
      reason: 'jwt_claim_mismatch',
      claim: 'tenant',
    }),
    ...pairs('claimValues contains, a scope', claimValue('write', 'contains', 'scope'), {
      unmet: claimValue('rite', 'contains', 'scope'),
      reason: 'jwt_claim_mismatch',
      claim: 'scope',
    }),
    ...pairs('claimValues containsAll', claimValue(['dev', 'admin'], 'containsAll'), {
      unmet: claimValue(['dev', 'owner'], 'containsAll'),
      reason: 'jwt_claim_mismatch',
      claim: 'roles',
    }),
    ...pairs('claimValues regex', claimValue('^t\\d$', 'regex', 'tenant'), {
      unmet: claimValue('^x', 'regex', 'tenant'),
      reason: 'jwt_claim_mismatch',
      claim: 'tenant',
    }),
    ...pairs(
      'claimValues of a claim that is missing',
      {},
      { unmet: claimValue('a', 'exact', 'email'), reason: 'jwt_claim_missing', claim: 'email' },
    ),
    {
      name: 'headerPayloadMatch: passes',
      parameters: { ...common, headerPayloadMatch: ['tenant'] },
      ...bearing(createToken(key, claims, { header: { tenant: 't1' } })),
      verdict: true,
    },
    {
      name: 'headerPayloadMatch: fails',
      parameters: { ...common, headerPayloadMatch: ['tenant'] },
      ...bearing(createToken(key, claims, { header: { tenant: 't2' } })),
      ...refused('jwt_claim_mismatch', 'tenant'),
    },
    {
      name: 'headerPayloadMatch: fails when neither has it',
      parameters: { ...common, headerPayloadMatch: ['tenant'] },
      ...bearing(createToken(key)),
      ...refused('jwt_claim_mismatch', 'tenant'),
    },
    {
      name: 'extractClaims: returns them with the prefix',
      parameters: { ...common, extractClaims: ['sub', 'roles', 'email'] },
      ...valid,
      verdict: true,
      data: { claims: { 'x-jwt-sub': 'ada', 'x-jwt-roles': 'admin,dev' } },
    },
    {
      name: 'claimPrefix: is another one',
      parameters: { ...common, extractClaims: ['sub'], claimPrefix: 'who-' },
      ...valid,
      verdict: true,
      data: { claims: { 'who-sub': 'ada' } },
    },
    {
      name: 'refuses to return secrets',
      parameters: { ...common, extractClaims: ['access_token'] },
      error: 'access_token',
    },
    { name: 'refuses to have no keys', parameters: {}, error: 'one of jwksUri, jwks and introspectEndpoint' },
    {
      name: 'refuses two sources of keys',
      parameters: { jwks, jwksUri: 'https://id.example/keys' },
      error: 'one of jwksUri, jwks and introspectEndpoint',
    },
    {
      name: 'refuses symmetric algorithms',
      parameters: { jwks, algorithms: ['HS256'] },
      error: '/algorithms/0',
    },
    {
      name: 'refuses tokens without algorithm',
      parameters: { jwks, algorithms: ['none'] },
      error: '/algorithms/0',
    },
    {
      name: 'refuses a private key',
      parameters: { jwks: { keys: [key.secret.export({ format: 'jwk' }) as JsonObject] } },
      error: 'not a public key',
    },
    {
      name: 'refuses a secret',
      parameters: { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } },
      error: 'not a public key',
    },
    {
      name: 'refuses a broken rule',
      parameters: { ...common, ...claimValue('(', 'regex') },
      error: 'not a valid pattern',
    },
    {
      name: 'refuses an invalid age',
      parameters: { ...common, maxTokenAge: '1 day' },
      error: '/maxTokenAge',
    },
    {
      name: 'refuses a secret without a name',
      parameters: { introspectEndpoint: 'https://id.example', introspectClientSecret: 's' },
      error: 'introspectClientId',
    },
  ],
  { parameters: common },
)
