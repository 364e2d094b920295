/** Sticky sessions combined with retries, fallbacks, hedges, breakers, other formats and other replicas. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { stopClock, stubRandom, turnUntil } from '../../support/clock.ts'
import { configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'
import { chatAnswer, sendJson } from '../../support/upstream.ts'

const names = ['a', 'b', 'c']
const ask = (content: string, extra: object = {}) => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...extra,
})

describe('a sticky session', () => {
  const scene = openScene()
  const random = stubRandom()
  let other: TestGateway
  before(async () => {
    other = await startGateway()
  })
  after(() => other.stop())
  beforeEach(() => random(0))

  const sticky = (
    extra: object = {},
    { by = 'auto', weights = [1, 1, 1], of = names }: { by?: string; weights?: number[]; of?: string[] } = {},
  ) => ({
    ...tree(
      'loadbalance',
      of.map((name, index) => scene.leaf(name, { weight: weights[index] ?? 1 })),
    ),
    strategy: { mode: 'loadbalance', sticky: { by } },
    ...extra,
  })
  const homeOf = async (config: unknown, options: Parameters<typeof scene.ask>[1]) => {
    await scene.ask(config, options)
    return String(scene.calls().at(-1))
  }

  it('uses the same target on another replica without shared state', async () => {
    for (let count = 0; count < 9; count += 1) {
      const body = ask(`replicas ${count}`)
      const home = await homeOf(sticky(), { body })
      await (await other.post('/v1/chat/completions', body, configHeader(sticky()))).arrayBuffer()
      expect(scene.calls().at(-1)).to.equal(home)
    }
  })

  it('is identified by the user in Messages, too', async () => {
    for (let count = 0; count < 4; count += 1) {
      const options = (content: string) => ({
        path: '/v1/messages',
        body: { ...ask(content), max_tokens: 9, metadata: { user_id: `user-${count}` } },
      })
      const home = await homeOf(sticky({}, { by: 'user' }), options('one'))
      expect(await homeOf(sticky({}, { by: 'user' }), options('two'))).to.equal(home)
    }
  })

  it('identified by a header does not forward that header', async () => {
    await scene.ask(sticky({}, { by: 'header.x-session' }), { headers: { 'x-session': 'one' } })
    expect(scene.seen(String(scene.calls().at(-1))).headers).to.not.have.property('x-session')
  })

  it('is retried at its target, and only an outer fallback continues elsewhere', async () => {
    const body = ask('failing')
    const home = await homeOf(sticky(), { body })
    scene.answers = { [home]: 500 }
    const from = scene.calls().length
    const inner = sticky({ retry: { attempts: 1 } })
    expect((await scene.ask(inner, { body })).status).to.equal(500)
    expect(
      scene
        .calls()
        .slice(from)
        .every((name) => name === home),
    ).to.equal(true)
    const outer = { strategy: { mode: 'fallback' }, targets: [sticky(), scene.leaf('last')] }
    expect((await scene.ask(outer, { body })).index).to.equal('config.targets[1]')
    expect(scene.calls().at(-1)).to.equal('last')
  })

  it('is hedged at its second choice', async () => {
    for (let count = 0; count < 4; count += 1) {
      const body = ask(`hedged ${count}`)
      const home = await homeOf(sticky(), { body })
      const second = await homeOf(sticky({}, { of: names.filter((name) => name !== home) }), { body })
      let slow: ServerResponse | undefined
      scene.answers = {
        [home]: (_request, response) => {
          slow = response
        },
        [second]: (_request, response) => sendJson(response, 200, chatAnswer('second')),
      }
      const asked = scene.ask(sticky({ hedge: { after_ms: 10 } }), { body })
      await turnUntil(() => slow !== undefined, 'the home is asked')
      const reply = await asked
      expect(reply.headers.get('x-gateway-hedge-count')).to.equal('1')
      expect(scene.calls().at(-1)).to.equal(second)
      scene.answers = {}
    }
  })

  it('stays at its current target when weights change', async () => {
    const body = ask('weights')
    const home = await homeOf(sticky(), { body })
    const weights = names.map((name) => (name === home ? 1 : 1000))
    expect(await homeOf(sticky({}, { weights }), { body })).to.equal(home)
  })

  const refused: [what: string, config: () => object, param: string][] = [
    [
      'hedge at a conditional',
      () => ({
        strategy: { mode: 'conditional', conditions: [], default: 'a' },
        targets: [scene.leaf('a', { name: 'a' })],
        hedge: { after_ms: 1 },
      }),
      'config/hedge',
    ],
    [
      'hedge at a single below',
      () => tree('fallback', [{ ...tree('single', [scene.leaf('a')]), hedge: { after_ms: 1 } }]),
      'config/targets/0/hedge',
    ],
    [
      'sticky at a fallback below',
      () =>
        tree('fallback', [
          { ...tree('fallback', [scene.leaf('a')]), strategy: { mode: 'fallback', sticky: { by: 'auto' } } },
        ]),
      'config/targets/0/strategy/sticky',
    ],
    [
      'a first token clock of 0',
      () => scene.leaf('a', { first_token_timeout: 0 }),
      'config/first_token_timeout',
    ],
    [
      'an idle clock of more than ten minutes',
      () => scene.leaf('a', { stream_idle_timeout: 600_001 }),
      'config/stream_idle_timeout',
    ],
    [
      'a total clock of more than an hour',
      () => scene.leaf('a', { stream_total_timeout: 3_600_001 }),
      'config/stream_total_timeout',
    ],
  ]
  for (const [what, config, param] of refused)
    it(`is refused with ${what}`, async () => {
      const { status, error } = await scene.ask(config())
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_config', param])
    })
})

describe('a sticky session whose target was unavailable', () => {
  const clock = stopClock()
  const scene = openScene()
  stubRandom()

  it('returns to its target as the probe of a half-open circuit', async () => {
    const cb_config = { failure_threshold: 1, cooldown_interval: 30_000 }
    const config = {
      ...tree(
        'loadbalance',
        names.map((name) => scene.leaf(name)),
      ),
      strategy: { mode: 'loadbalance', sticky: { by: 'auto' } },
      cb_config,
    }
    const body = ask('probing')
    const served = async () => {
      await scene.ask(config, { body })
      return String(scene.calls().at(-1))
    }
    const home = await served()
    scene.answers = { [home]: 500 }
    await served()
    expect(await served()).to.not.equal(home)
    scene.answers = {}
    await clock.tick(cb_config.cooldown_interval + 1)
    expect(await served()).to.equal(home)
  })
})
