/** Each step of the decision trace with its fields, as callers see them. */
import { expect } from 'chai'
import { stopClock, stubRandom } from '../../support/clock.ts'
import { chat } from '../../support/gateway.ts'
import { openScene, type Scene, tree, withSpentProvider } from '../../support/scene.ts'
import { chatAnswer, chatChunk, sendEvents, sendJson } from '../../support/upstream.ts'
import { asKey, limitedKey } from '../metering/limits/scene.ts'

type Decision = Record<string, unknown>

const explain = { 'x-gateway-explain': 'true' }
const cb_config = { failure_threshold: 1, cooldown_interval: 30_000 }
const opening = `data: ${JSON.stringify(chatChunk({ role: 'assistant', content: '' }))}\n\n`

interface Asked {
  config: unknown
  answers?: Scene['answers']
  body?: Record<string, unknown>
  headers?: Record<string, string>
  path?: string
}

describe('a decision', () => {
  const scene = openScene((origin) => {
    const leaf = { provider: 'openai', api_key: 'sk-1', custom_host: `${origin}/saved/v1` }
    const key = (name: string, more: Record<string, unknown>) => ({
      ...limitedKey({}, `gw-decision-key-${name}`),
      scopes: ['completions.write', 'logs.view'],
      name,
      ...more,
    })
    return {
      configs: { saved: { ...leaf, override_params: { model: 'm' } } },
      providers: { used: { ...leaf, rate_limits: [{ type: 'requests', unit: 'rpd', value: 0 }] } },
      api_keys: [
        key('limited', { rate_limits: { type: 'requests', unit: 'rpd', value: 5 } }),
        key('spent', { rate_limits: { type: 'requests', unit: 'rpd', value: 0 } }),
        key('defaults', { defaults: { config_id: 'saved' } }),
      ],
    }
  })
  const random = stubRandom()
  beforeEach(() => random(0))

  const rows: [what: string, asked: () => Asked, step: string, fields: Decision][] = [
    ['of the header', () => ({ config: scene.leaf('a') }), 'config', { source: 'header', path: 'config' }],
    [
      'of a saved config of the header',
      () => ({ config: null, headers: { 'x-gateway-config': 'saved' } }),
      'config',
      { source: 'header', id: 'saved' },
    ],
    [
      'of the model',
      () => ({ config: null, body: chat('x', { model: '#saved' }) }),
      'config',
      { source: 'model', id: 'saved' },
    ],
    [
      'of the key',
      () => ({ config: null, headers: asKey('gw-decision-key-defaults') }),
      'config',
      { source: 'key', id: 'saved' },
    ],
    [
      'of nobody',
      () => ({ config: null, headers: { 'x-gateway-provider': 'echo' } }),
      'config',
      { source: 'none' },
    ],
    [
      'that admitted',
      () => ({ config: scene.leaf('a'), headers: asKey('gw-decision-key-limited') }),
      'limit',
      { admitted: true, remaining: 4 },
    ],
    [
      'that refused',
      () => ({ config: scene.leaf('a'), headers: asKey('gw-decision-key-spent') }),
      'limit',
      { admitted: false, remaining: 0 },
    ],
    [
      'that left a refused target out',
      () => ({ config: tree('loadbalance', [{ provider: '@used' }, scene.leaf('a')]) }),
      'pick',
      { mode: 'loadbalance', chosen: 'config.targets[0]' },
    ],
    [
      'that timed out',
      () => ({
        config: scene.leaf('a', { request_timeout: 30 }),
        answers: { a: () => undefined },
      }),
      'call',
      { fault: 'timeout', aborted: false, hedge: false },
    ],
    [
      'without its first token',
      () => ({
        config: scene.leaf('a', { first_token_timeout: 30 }),
        answers: { a: () => undefined },
        body: chat('x', { stream: true }),
      }),
      'call',
      { fault: 'first_token_timeout' },
    ],
    [
      'that fell silent',
      () => ({
        config: scene.leaf('a', { stream_idle_timeout: 30 }),
        answers: {
          a: (_request, response) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' })
            response.write(opening)
          },
        },
        body: chat('x', { stream: true }),
      }),
      'call',
      { fault: 'stream_idle_timeout' },
    ],
    [
      'that cannot be read',
      () => ({
        config: scene.leaf('a'),
        answers: {
          a: (_request, response) => {
            response.writeHead(200, { 'content-type': 'application/json' })
            response.end('{"choices":')
          },
        },
      }),
      'call',
      { fault: 'invalid_response' },
    ],
    [
      'with the first token of a stream that broke off before content',
      () => ({
        config: tree('fallback', [scene.leaf('a'), scene.leaf('b')]),
        answers: { a: (_request, response) => sendEvents(response, [opening]) },
        body: chat('x', { stream: true }),
      }),
      'fallback',
      { to: 'config.targets[1]' },
    ],
    [
      'that waits',
      () => ({
        config: scene.leaf('a', { retry: { attempts: 1 } }),
        answers: { a: [500, (_request, response) => sendJson(response, 200, chatAnswer('ok'))] },
      }),
      'retry',
      { attempt: 1, because: 500 },
    ],
    [
      'that opens',
      () => ({ config: scene.leaf('opens', { cb_config }), answers: { opens: 500 } }),
      'breaker',
      { from: 'closed', to: 'open' },
    ],
    [
      'of a request that is refused',
      () => ({ config: scene.leaf('a'), headers: asKey('gw-decision-key-spent') }),
      'end',
      { status: 429, cost: 0 },
    ],
  ]

  const decisionsIn = (text: string): Decision[] => {
    const found = text.split('\n').find((line) => line.includes('"decisions"')) ?? '{}'
    return (JSON.parse(found.replace(/^data: /, '')) as { decisions?: Decision[] }).decisions ?? []
  }

  for (const [what, asked, step, fields] of rows)
    it(`${step} ${what}`, async () => {
      const { config, answers = {}, body, headers = {}, path } = asked()
      scene.answers = answers
      const reply = await scene.ask(config, {
        headers: { ...explain, ...headers },
        ...(body === undefined ? {} : { body }),
        ...(path === undefined ? {} : { path }),
      })
      const found = decisionsIn(reply.text).filter((decision) => decision.step === step)
      expect(found, reply.text).to.have.length.above(0)
      expect(found[0], reply.text).to.include(fields)
      if (step === 'retry') expect(found[0]?.wait_ms).to.be.a('number')
    })

  for (const [path, body] of [
    ['/v1/messages', { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }],
    ['/v1/responses', { model: 'm', input: 'x' }],
    ['/v1/completions', { model: 'm', prompt: 'x' }],
    ['/v1/embeddings', { model: 'm', input: 'x' }],
  ] as const)
    for (const stream of path === '/v1/embeddings' ? [false] : [false, true])
      it(`is reported in ${path}${stream ? ', streamed' : ''}`, async () => {
        const reply = await scene.ask(
          { provider: 'echo' },
          { path, body: { ...body, stream }, headers: explain },
        )
        expect(reply.status, reply.text).to.equal(200)
        const steps = decisionsIn(reply.text).map(({ step }) => step)
        expect(steps, reply.text).to.include.members(['config', 'call', 'end'])
      })
})

describe('the decisions about a target with an open circuit', () => {
  const clock = stopClock()
  const scene = openScene(withSpentProvider)
  const random = stubRandom()
  beforeEach(() => random(0))
  const decide = async (config: unknown) => {
    const { body, status, text } = await scene.ask(config, { headers: explain })
    const decisions = (body.decisions ?? []) as Decision[]
    return { status, text, of: (step: string) => decisions.filter((one) => one.step === step) }
  }

  it('name what a pick left out, and why', async () => {
    scene.answers = { down: 500 }
    const down = scene.leaf('down', { cb_config })
    await scene.ask(down)
    const zero = scene.leaf('zero', { weight: 0 })
    const targets = [down, { provider: '@spent' }, zero, scene.leaf('b')]
    const { status, of, text } = await decide(tree('loadbalance', targets))
    expect(status, text).to.equal(200)
    expect(of('pick').at(-1)).to.deep.include({
      chosen: 'config.targets[3]',
      left_out: [
        { path: 'config.targets[0]', because: 'breaker_open' },
        { path: 'config.targets[1]', because: 'refused' },
        { path: 'config.targets[2]', because: 'weight_zero' },
      ],
    })
  })

  it('report the probe that fails, and the one that closes it', async () => {
    scene.answers = { probed: [500, 500, 200] }
    const probed = scene.leaf('probed', { cb_config })
    expect((await decide(probed)).of('breaker').map(({ from, to }) => [from, to])).to.deep.equal([
      ['closed', 'open'],
    ])
    for (const [status, to] of [
      [500, 'open'],
      [200, 'closed'],
    ] as const) {
      await clock.tick(cb_config.cooldown_interval + 1)
      const probe = await decide(probed)
      expect(probe.status).to.equal(status)
      expect(probe.of('breaker').map(({ from, to: then }) => [from, then])).to.deep.equal([['half_open', to]])
    }
  })
})
