/** The routing config of a request: parsed, checked by its schema, compiled. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isGatewayError } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { compileInline } from '#config/inline-config'
import { loadSettings } from '#core/boot/load-settings'
import { discover } from '#core/discovery/discover'
import { damaged, jsonOf } from '../arbitraries.ts'
import { defineTarget } from '../target.ts'

async function settingsOfNothing() {
  const { registry } = await discover({ packages: [], disabled: [], directory: process.cwd() })
  const folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
  try {
    const path = join(folder, 'gateway.yaml')
    await writeFile(path, '')
    const { settings } = await loadSettings({ path, environment: {}, registry })
    if (settings === null) throw new Error('An empty config file was refused.')
    return settings
  } finally {
    await rm(folder, { recursive: true })
  }
}

const settings = await settingsOfNothing()

const names = [
  ...['strategy', 'mode', 'conditions', 'query', 'then', 'default', 'targets', 'provider', 'api_key', 'name'],
  ...[
    'virtual_key',
    'custom_host',
    'override_params',
    'model',
    'retry',
    'attempts',
    'cache',
    'weight',
    '$and',
  ],
  ...[
    'metadata.plan',
    'params.model',
    '$eq',
    '$regex',
    '$in',
    '$not',
    'input_guardrails',
    'default.regexMatch',
  ],
  ...[
    'before_request_hooks',
    'checks',
    'id',
    'type',
    'parameters',
    'forward_headers',
    'request_timeout',
    'cb_config',
  ],
]
const values = fc.constantFrom<unknown>(
  ...[
    'openai',
    'anthropic',
    '@slug',
    'sk-test',
    'loadbalance',
    'fallback',
    'conditional',
    'single',
    'simple',
    't',
  ],
  ...[
    'http://127.0.0.1',
    'https://api.example.com/v1',
    'http://[',
    '(a+)+$',
    '(',
    'host',
    '@a/b',
    3,
    429,
    30_000,
  ],
)
const loose = jsonOf(names, values, 5)
const leaf = fc.record(
  {
    provider: fc.constant('openai'),
    api_key: fc.constant('sk-test'),
    name: fc.constantFrom('t', 'u'),
    weight: fc.nat(3),
  },
  { requiredKeys: ['provider', 'api_key'] },
)
const branch = fc.record({
  strategy: fc.oneof(
    fc.record({ mode: fc.constantFrom('loadbalance', 'fallback', 'single') }),
    fc.record({
      mode: fc.constant('conditional'),
      conditions: fc.array(
        fc.record({
          query: fc.dictionary(fc.constantFrom('metadata.plan', '$or', 'params.a.b', 'url.pathname'), loose, {
            maxKeys: 3,
          }),
          then: fc.constantFrom('t', 'u'),
        }),
        { maxLength: 2 },
      ),
      default: fc.constantFrom('t', 'u'),
    }),
  ),
  targets: fc.array(leaf, { minLength: 1, maxLength: 3 }),
})
const nearlyRight = fc
  .tuple(branch, fc.array(fc.tuple(fc.constantFrom(...names), loose), { maxLength: 2 }))
  .map(([config, extra]): unknown => ({ ...config, ...Object.fromEntries(extra) }))

export const routingConfig = defineTarget({
  name: 'routing-config',
  input: damaged(fc.oneof(loose, branch, nearlyRight).map((config) => JSON.stringify(config))),
  read: (text) => compileInline(settings, { prefix: 'x-gateway-' }, text),
  mayThrow: (error) => isGatewayError(error) && error.status < 500,
  check(node, text) {
    const config = JSON.parse(text) as { targets?: unknown[] }
    expect(node.targets).to.have.length(config.targets?.length ?? 0)
    expect(node.param).to.equal('config')
    const again = compileInline(settings, { prefix: 'x-gateway-' }, text)
    expect(again.fingerprint).to.equal(node.fingerprint)
  },
})
