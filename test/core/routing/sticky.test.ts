/** `strategy.sticky` and `strategy.balance` at `loadbalance`. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type Candidate, rendezvous } from '#routing/pick-target'
import { skipTime, stubRandom } from '../../support/clock.ts'
import { openScene, tree } from '../../support/scene.ts'
import { seeded } from '../../support/seeded.ts'

const balanced = (targets: object[], extra: object) => {
  const config = tree('loadbalance', targets as Record<string, unknown>[])
  return { ...config, strategy: { ...(config.strategy as object), ...extra } }
}

const conversation = (system: string, first: string, ...rest: string[]) => ({
  model: 'm',
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: first },
    ...rest.flatMap((content) => [
      { role: 'assistant', content: 'ok' },
      { role: 'user', content },
    ]),
  ],
})

describe('sticky load balancing', () => {
  const scene = openScene()
  stubRandom()
  const config = (extra: object = {}, names = ['a', 'b', 'c']) =>
    balanced(
      names.map((name) => scene.leaf(name)),
      { sticky: { by: 'auto', ...extra } },
    )
  const called = async (wanted: unknown, options: Parameters<typeof scene.ask>[1]) => {
    await scene.ask(wanted, options)
    return scene.calls().at(-1)
  }

  it('sends all turns of a conversation to one target, and distributes conversations', async () => {
    const homes = new Set<string | undefined>()
    // The target of a conversation depends on the targets' ports: with this many conversations, each of three targets
    // gets some.
    for (let count = 0; count < 60; count += 1) {
      const first = await called(config(), { body: conversation('s', `question ${count}`) })
      const second = await called(config(), { body: conversation('s', `question ${count}`, 'and then?') })
      expect(second).to.equal(first)
      homes.add(first)
    }
    expect(homes.size).to.equal(3)
  })

  const kinds: [by: string, options: (value: string) => Parameters<typeof scene.ask>[1]][] = [
    ['user', (user) => ({ body: { ...conversation('s', Math.random().toString()), user } })],
    [
      'metadata.team',
      (team) => ({
        body: conversation('s', Math.random().toString()),
        headers: { 'x-gateway-metadata': JSON.stringify({ team }) },
      }),
    ],
    [
      'header.X-Session',
      (session) => ({
        body: conversation('s', Math.random().toString()),
        headers: { 'x-session': session },
      }),
    ],
  ]
  for (const [by, options] of kinds)
    it(`keeps requests with the same ${by} on one target`, async () => {
      for (const value of ['one', 'two', 'three', 'four']) {
        const first = await called(config({ by }), options(value))
        for (let count = 0; count < 3; count += 1)
          expect(await called(config({ by }), options(value))).to.equal(first)
      }
    })

  it('does not depend on the order of the targets', async () => {
    for (let count = 0; count < 6; count += 1) {
      const body = conversation('s', `order ${count}`)
      const first = await called(config({}, ['a', 'b', 'c']), { body })
      expect(await called(config({}, ['c', 'a', 'b']), { body })).to.equal(first)
    }
  })

  it('moves only the sessions of a removed target', async () => {
    for (let count = 0; count < 12; count += 1) {
      const body = conversation('s', `leaving ${count}`)
      const before = await called(config({}, ['a', 'b', 'c']), { body })
      const after = await called(config({}, ['a', 'b']), { body })
      if (before !== 'c') expect(after).to.equal(before)
    }
  })

  it('moves the sessions of a target whose weight becomes 0, and keeps the others', async () => {
    const weighted = (zero: string) =>
      balanced(
        ['a', 'b', 'c'].map((name) => ({ ...scene.leaf(name), weight: name === zero ? 0 : 1 })),
        { sticky: { by: 'auto' } },
      )
    for (let count = 0; count < 12; count += 1) {
      const body = conversation('s', `draining ${count}`)
      const before = await called(weighted('none'), { body })
      const after = await called(weighted('c'), { body })
      if (before === 'c') expect(after).not.to.equal('c')
      else expect(after).to.equal(before)
    }
  })

  it('returns the answer of its target, and does not continue elsewhere', async () => {
    const body = conversation('s', 'failing')
    const home = String(await called(config(), { body }))
    scene.answers = { [home]: 500 }
    expect((await scene.ask(config(), { body })).status).to.equal(500)
    expect(await called(config(), { body })).to.equal(home)
  })

  it('uses another target while the circuit is open, and returns afterwards', async () => {
    const breaking = { ...config(), cb_config: { failure_threshold: 1, cooldown_interval: 30_000 } }
    const body = conversation('s', 'breaking')
    const home = String(await called(breaking, { body }))
    scene.answers = { [home]: 500 }
    await scene.ask(breaking, { body })
    const other = await called(breaking, { body })
    expect(other).not.to.equal(home)
    expect(await called(breaking, { body })).to.equal(other)
  })

  const refused: [strategy: object, mode: string, param: string][] = [
    [{ sticky: { by: 'auto' } }, 'fallback', 'config/strategy/sticky'],
    [{ balance: 'latency' }, 'single', 'config/strategy/balance'],
    [{ sticky: { by: 'ip' } }, 'loadbalance', 'config/strategy/sticky/by'],
    [{ sticky: {} }, 'loadbalance', 'config/strategy/sticky/by'],
    [{ sticky: { by: 'auto', ttl_seconds: 0 } }, 'loadbalance', 'config/strategy/sticky/ttl_seconds'],
    [{ balance: 'random' }, 'loadbalance', 'config/strategy/balance'],
  ]
  for (const [strategy, mode, param] of refused)
    it(`refuses ${JSON.stringify(strategy)} at ${mode}`, async () => {
      const base = tree(mode as 'fallback', [scene.leaf('a')])
      const { status, error } = await scene.ask({
        ...base,
        strategy: { ...(base.strategy as object), ...strategy },
      })
      expect({ status, code: error.code, param: error.param }).to.deep.equal({
        status: 400,
        code: 'invalid_config',
        param,
      })
    })
})

describe('rendezvous hashing', () => {
  const targets = (...weights: number[]): Candidate[] =>
    weights.map((weight, index) => ({ node: {} as Candidate['node'], weight, key: `target-${index}` }))
  const session = (index: number) => ({ kind: 'auto', hash: `session-${index}` })
  const sessions = 10_000

  const shares = (candidates: readonly Candidate[]) => {
    const counts = new Map<string, number>()
    for (let index = 0; index < sessions; index += 1) {
      const key = String(rendezvous(session(index), candidates)?.key)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return counts
  }

  it('distributes 10,000 sessions in proportion to the weights', () => {
    const counts = shares(targets(5, 3, 2))
    for (const [key, share] of [
      ['target-0', 0.5],
      ['target-1', 0.3],
      ['target-2', 0.2],
    ] as const)
      expect((counts.get(key) ?? 0) / sessions).to.be.within(share - 0.02, share + 0.02)
  })

  it('moves only the sessions of a removed target', () => {
    const all = targets(1, 1, 1)
    const rest = all.slice(0, 2)
    for (let index = 0; index < sessions; index += 1) {
      const before = rendezvous(session(index), all)
      if (before?.key !== 'target-2') expect(rendezvous(session(index), rest)?.key).to.equal(before?.key)
    }
  })

  /**
   * The share of all input that providers read from their prompt caches. Each turn repeats the previous ones, and a
   * target reads from its cache what it received itself in the session.
   */
  function cachedShare(targetOf: (session: number, turn: number) => string | undefined): number {
    const turns = 5
    const tokensOfTurn = 200
    let cached = 0
    let sent = 0
    for (let index = 0; index < sessions; index += 1) {
      const warm = new Map<string | undefined, number>()
      for (let turn = 0; turn < turns; turn += 1) {
        const prompt = tokensOfTurn * (turn + 1)
        const chosen = targetOf(index, turn)
        sent += prompt
        cached += warm.get(chosen) ?? 0
        warm.set(chosen, prompt)
      }
    }
    return cached / sent
  }

  it('keeps the prompt caches of 10,000 sessions on three targets warm, even when one target is removed', () => {
    const all = targets(1, 1, 1)
    const rest = all.slice(0, 2)
    const random = seeded(3)
    const drawn = (candidates: readonly Candidate[]) =>
      candidates[Math.floor(random() * candidates.length)]?.key
    const leavesAt = 3
    const still = (turn: number) => (turn < leavesAt ? all : rest)
    const shares = {
      sticky: cachedShare((index) => rendezvous(session(index), all)?.key),
      drawn: cachedShare(() => drawn(all)),
      stickyLeaving: cachedShare((index, turn) => rendezvous(session(index), still(turn))?.key),
      drawnLeaving: cachedShare((_, turn) => drawn(still(turn))),
    }
    const percent = Object.entries(shares).map(([name, share]) => [name, Math.round(share * 100)])
    // 2,000 of 3,000 tokens of a session can be cached at the best.
    expect(Object.fromEntries(percent)).to.deep.equal({
      sticky: 67,
      drawn: 35,
      stickyLeaving: 60,
      drawnLeaving: 38,
    })
    const rows = [
      ['sticky', shares.sticky, shares.stickyLeaving],
      ['target chosen by weight for each request', shares.drawn, shares.drawnLeaving],
    ] as const
    const guide = readFileSync(new URL('../../../../docs/guides/routing.md', import.meta.url), 'utf8')
    for (const [what, ...values] of rows)
      expect(guide).to.contain(
        `| ${[what, ...values.map((value) => `${Math.round(value * 100)} %`)].join(' | ')} |`,
      )
  })

  it('assigns nothing to a target with weight 0', () => {
    expect(shares(targets(0, 1)).get('target-0')).to.equal(undefined)
    expect(rendezvous(session(1), targets(0, 0))).to.equal(null)
  })
})

describe('load balancing by latency and load', () => {
  const scene = openScene()
  const random = stubRandom()
  const skip = skipTime()

  it('prefers the faster target', async () => {
    const config = balanced([scene.leaf('slow-1'), scene.leaf('quick-1')], { balance: 'latency' })
    scene.answers = {
      'slow-1': [
        (_request, response) => {
          skip(600_000)
          response.end('{"choices": []}')
        },
        200,
      ],
    }
    random(0)
    await scene.ask(config)
    random(0.999)
    await scene.ask(config)
    // The slow one has less than a tenth of the weight now.
    random(0.4)
    for (let count = 0; count < 3; count += 1) await scene.ask(config)
    expect(scene.calls().slice(2)).to.deep.equal(['quick-1', 'quick-1', 'quick-1'])
  })

  it('prefers the target with fewer calls in flight', async () => {
    const config = balanced([scene.leaf('one'), scene.leaf('two')], { balance: 'least_pending' })
    const held: (() => void)[] = []
    scene.answers = {
      one: (_request, response) => void held.push(() => response.end('{"choices": []}')),
      two: (_request, response) => void held.push(() => response.end('{"choices": []}')),
    }
    random(0)
    const asked: Promise<unknown>[] = []
    for (let count = 1; count <= 4; count += 1) {
      asked.push(scene.ask(config))
      while (held.length < count) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(scene.calls()).to.deep.equal(['one', 'two', 'one', 'two'])
    for (const end of held) end()
    await Promise.all(asked)
  })

  it('tries another target when the request is refused at the first', async () => {
    random(0)
    const config = balanced([scene.leaf('no', { provider: 'anthropic' }), scene.leaf('yes')], {})
    const reply = await scene.ask(config, { path: '/v1/embeddings', body: { model: 'm', input: 'a' } })
    expect(reply.index).to.equal('config.targets[1]')
    expect(scene.calls()).to.deep.equal(['yes'])
  })
})
