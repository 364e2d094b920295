/** The gateway's own request headers, and the remaining headers for the stages. */
import { isGatewayError } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { collectOwnHeaders, readGatewayHeaders, scrubHeaders } from '#flow/headers/request-headers'
import { damaged, jsonOf } from '../arbitraries.ts'
import { defineTarget } from '../target.ts'

const prefixes = ['x-gateway-', 'x-other-']
const own = [
  ...['config', 'virtual-key', 'provider', 'custom-host', 'forward-headers', 'request-timeout', 'api-key'],
  ...['strict-compat-compliance', 'metadata', 'cache-namespace', 'cache-force-refresh', 'trace-id', ''],
  ...['deployments', 'clouda-region', 'cloudc-service-account-json', 'cloudb-api-version'],
]
const name = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...prefixes), fc.constantFrom(...own)).map((parts) => parts.join('')),
  },
  fc.constantFrom(
    'authorization',
    'x-api-key',
    'cookie',
    'connection',
    'content-type',
    'host',
    'x-request-id',
  ),
  fc.stringMatching(/^[a-z_-]{1,8}$/),
)
const value = fc.oneof(
  fc.constantFrom(
    'true',
    'FALSE',
    '0',
    '1',
    '86400001',
    '1e3',
    '-1',
    'Bearer x',
    'bearer',
    'bearer   a b',
    ' ',
  ),
  fc.constantFrom(
    'close, x-api-key',
    'x-gateway-config',
    'a,,b',
    'X-One, x-Two',
    'host',
    ',',
    'é',
    '{}',
    '[]',
  ),
  damaged(
    jsonOf(['user', 'weight', 'api_key'], fc.constantFrom<unknown>('a', 1), 2).map((json) =>
      JSON.stringify(json),
    ),
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 20 }),
)

export const headers = defineTarget({
  name: 'headers',
  input: fc.array(fc.tuple(name, value), { maxLength: 12 }).map((pairs) => Object.fromEntries(pairs)),
  read(given: Record<string, string>) {
    const found = collectOwnHeaders(given, prefixes)
    return {
      options: readGatewayHeaders(given, found, prefixes),
      kept: scrubHeaders(given, prefixes),
    }
  },
  mayThrow: (error) => isGatewayError(error) && error.code === 'invalid_header' && error.status === 400,
  check({ options, kept }) {
    const { requestTimeoutMs, metadata, forwardHeaders } = options
    if (requestTimeoutMs !== null) expect(requestTimeoutMs).to.be.within(1, 86_400_000)
    for (const entry of Object.values(metadata)) expect(entry).to.be.a('string')
    for (const forwarded of forwardHeaders ?? []) expect(forwarded).to.match(/^[^\sA-Z,:]+$/)
    for (const [left, text] of Object.entries(kept)) {
      expect(text).to.be.a('string')
      expect(left).not.to.match(/^(x-gateway-.*|x-other-.*|authorization|x-api-key|cookie|connection)$/)
    }
  },
})
