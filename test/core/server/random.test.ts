/** The gateway answers or refuses any request, but never with a server error. */
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { openScene } from '../../support/scene.ts'

const paths = ['chat/completions', 'completions', 'embeddings', 'images/generations', 'rerank'].map(
  (route) => `/v1/${route}`,
)

/** Names that some route understands, and values that are almost valid. */
const names = [
  ...['model', 'messages', 'prompt', 'input', 'query', 'documents', 'n', 'stream', 'stream_options', 'tools'],
  ...[
    'tool_choice',
    'stop',
    'temperature',
    'max_tokens',
    'logprobs',
    'top_logprobs',
    'best_of',
    'echo',
    'size',
  ],
  ...[
    'dimensions',
    'encoding_format',
    'response_format',
    'thinking',
    'functions',
    'top_n',
    'return_documents',
  ],
  ...['constructor', 'toString', 'hasOwnProperty', 'length', '', 'a/b', 'a~b'],
]
const message = fc.record(
  {
    role: fc.constantFrom('user', 'system', 'assistant', 'tool', 'function', 'developer', 'robot'),
    content: fc.oneof(
      fc.string(),
      fc.array(fc.record({ type: fc.constantFrom('text', 'image_url'), text: fc.string() })),
      fc.constantFrom(null, 1, {}),
    ),
    tool_calls: fc.array(fc.record({ id: fc.string(), type: fc.constant('function') })),
    name: fc.string(),
  },
  { requiredKeys: ['role'] },
)
const value = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>('', 'text', 0, 1, 2, -1, 1.5, 1e308, true, false, null, [], {}),
  },
  fc.array(message, { maxLength: 3 }),
  fc.array(fc.oneof(fc.string(), fc.integer(), fc.array(fc.integer()))),
  fc.jsonValue({ maxDepth: 3 }),
)
const body = fc
  .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries))
const nearlyRight = fc
  .tuple(body, fc.array(message, { minLength: 1, maxLength: 3 }))
  .map(([extra, messages]) => ({
    model: 'm',
    messages,
    prompt: 'x',
    input: 'x',
    query: 'x',
    documents: ['x'],
    ...extra,
  }))

const keys = [
  ...[
    'provider',
    'api_key',
    'virtual_key',
    'custom_host',
    'strategy',
    'targets',
    'weight',
    'name',
    'cache',
    'retry',
  ],
  ...['cb_config', 'request_timeout', 'override_params', 'forward_headers', 'passthrough', 'on_status_codes'],
  ...[
    'input_guardrails',
    'output_guardrails',
    'before_request_hooks',
    'after_request_hooks',
    'prompt_id',
    'odd',
  ],
  ...['strict_compat_compliance', 'deployments', 'cloudC_service_account_json', 'constructor'],
]
const part = fc.oneof(
  fc.constantFrom<unknown>('echo', '@e', '@nobody', 'openai', 'x', '', 0, 1, -1, 30_000, true, null, [], {}),
  fc.constantFrom<unknown>(
    { mode: 'single' },
    { mode: 'fallback', on_status_codes: [500] },
    { mode: 'loadbalance' },
    { mode: 'conditional', conditions: [{ query: { 'params.n': { $gt: 1 } }, then: 'x' }], default: 'x' },
    { mode: 'simple', max_age: 1 },
    { attempts: 0 },
    { model: '@e/echo-1' },
    [{ contains: { words: ['x'] } }],
    [{ id: 'h', checks: [{ id: 'default.regexMatch', parameters: { rule: '.' } }] }],
    ['cookie', 'x-custom'],
    ['nobody'],
  ),
  fc.jsonValue({ maxDepth: 2 }),
)
const { config } = fc.letrec<{ config: Record<string, unknown>; node: [string, unknown][] }>((tie) => ({
  node: fc.array(fc.tuple(fc.constantFrom(...keys), part), { maxLength: 5 }),
  config: fc
    .tuple(
      tie('node'),
      fc.option(fc.array(tie('config'), { maxLength: 3 }), { maxDepth: 3, depthIdentifier: 'tree' }),
    )
    .map(([entries, targets]) => {
      const node = Object.fromEntries(entries)
      return targets === null
        ? { provider: 'echo', ...node }
        : { strategy: { mode: 'fallback' }, ...node, targets }
    }),
}))

/** A valid request, because random ones may all be refused. */
const right = { model: 'm', messages: [{ role: 'user', content: 'x' }] }

describe('random requests never cause a server error', () => {
  const scene = openScene(() => ({ providers: { e: { provider: 'echo' } } }))

  const check = async (
    path: string,
    sent: unknown,
    { used, headers = {} }: { used: unknown; headers?: Record<string, string> },
  ) => {
    const from = scene.gateway.logs.length
    const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
    const response = await scene.gateway.post(path, text, { 'x-gateway-config': ascii(used), ...headers })
    const answer = await response.text()
    expect(response.status, answer).not.to.equal(500)
    expect(scene.gateway.logs.slice(from).filter(({ level }) => Number(level) >= 50)).to.deep.equal([])
    if (response.status < 400) return response.status
    const { error, ...rest } = JSON.parse(answer)
    expect(error).to.include.all.keys('message', 'type', 'param', 'code')
    expect(error.message).to.be.a('string').and.not.to.equal('')
    expect(error.param === null || typeof error.param === 'string').to.equal(true)
    expect(Object.keys(rest).every((key) => ['hook_results', 'provider'].includes(key))).to.equal(true)
    return response.status
  }

  it('with any JSON body', async () => {
    const statuses = new Set<number>()
    const property = fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.oneof(body, nearlyRight),
      async (path, sent) => {
        statuses.add(await check(path, sent, { used: { provider: 'echo' } }))
      },
    )
    await assertProperty(property, { numRuns: 120, examples: [[paths[0] ?? '', right]] })
    expect([...statuses]).to.include.members([200, 400])
  })

  it('with any text', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.constantFrom('{', '[[', '"', '\u0000', '{"a":1}}'),
    )
    await assertProperty(
      fc.asyncProperty(fc.constantFrom(...paths), text, async (path, sent) => {
        expect(await check(path, sent, { used: { provider: 'echo' } })).to.equal(400)
      }),
      { numRuns: 60 },
    )
  })

  it('with any config', async () => {
    const statuses = new Set<number>()
    const property = fc.asyncProperty(config, async (used) => {
      statuses.add(await check('/v1/chat/completions', right, { used }))
    })
    await assertProperty(property, { numRuns: 120, examples: [[{ provider: 'echo' }]] })
    expect([...statuses]).to.include.members([200, 400])
  })

  it('with any headers', async () => {
    const own = [
      'config',
      'metadata',
      'provider',
      'virtual-key',
      'custom-host',
      'request-timeout',
      'forward-headers',
    ]
    const more = [
      'trace-id',
      'cache-namespace',
      'strict-compat-compliance',
      'deployments',
      'span-id',
      'workspace-id',
    ]
    const header = fc.tuple(
      fc.constantFrom(...own, ...more).map((name) => `x-gateway-${name}`),
      fc.oneof(
        fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) }),
        fc.constantFrom('{}', '[]', 'null', 'true', '1', '@e', 'echo', '{"a":"b"}', '{"a":1}', ',', '\u00e9'),
      ),
    )
    await assertProperty(
      fc.asyncProperty(fc.array(header, { maxLength: 6 }), async (headers) => {
        await check('/v1/chat/completions', right, {
          used: { provider: 'echo' },
          headers: Object.fromEntries(headers),
        })
      }),
      { numRuns: 120 },
    )
  })
})

/** JSON for a header, whose characters are bytes. */
const ascii = (json: unknown): string =>
  JSON.stringify(json).replaceAll(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
