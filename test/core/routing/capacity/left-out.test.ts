/** Targets whose providers have no room are left out, by what their answers say. */
import { expect } from 'chai'
import { stopClock, stubRandom } from '../../../support/clock.ts'
import { chat } from '../../../support/gateway.ts'
import { readReply, tree } from '../../../support/scene.ts'
import { answerOk } from '../../../support/upstream.ts'
import { decisionsOf, explained, full, leaf, openLimited, requestsLeft, says, tokensLeft } from './scene.ts'

describe('targets without room', () => {
  const scene = openLimited()
  const clock = stopClock()
  const random = stubRandom()
  let count = 0
  let model = ''
  beforeEach(() => {
    count += 1
    model = `model-${count}`
  })
  /** Each test has a separate model, and therefore separate limits. */
  const ask = (config: unknown, extra: Record<string, unknown> = {}, headers = {}) =>
    clock.run(scene.ask(config, { body: chat('hello', { model, ...extra }), headers }))
  const learn = async (...targets: string[]) => {
    for (const name of targets) await ask(leaf(name))
  }
  const called = () => scene.calls().join('')

  it('are left out by loadbalance until their window resets', async () => {
    scene.answers = { a: [full(), answerOk] }
    await learn('a')
    random(0)
    const config = tree('loadbalance', [leaf('a'), leaf('b')])
    const reply = await ask(config, {}, explained)
    expect(reply.status).to.equal(200)
    expect(decisionsOf(reply, 'pick')[0]).to.deep.include({
      chosen: 'config.targets[1]',
      probability: 1,
      left_out: [{ path: 'config.targets[0]', because: 'full' }],
    })
    await clock.tick(29_000)
    await ask(config)
    await clock.tick(1000)
    await ask(config)
    expect(called()).to.equal('abba')
  })

  it('are left out by fallback, with any codes', async () => {
    scene.answers = { a: full() }
    await learn('a')
    for (const on_status_codes of [undefined, [500]])
      await ask(tree('fallback', [leaf('a'), leaf('b')], { on_status_codes }))
    expect(called()).to.equal('abb')
  })

  it('answer 429 with the earliest reset and without a call when none has room', async () => {
    scene.answers = { a: full('40s'), b: full('20s'), c: full('1m') }
    await learn('a', 'b', 'c')
    for (const mode of ['loadbalance', 'fallback']) {
      const reply = await ask(tree(mode, [leaf('a'), leaf('b'), leaf('c')]), {}, explained)
      expect(reply.status).to.equal(429)
      expect(reply.error).to.include({ type: 'rate_limit_error', code: 'capacity_exhausted' })
      expect(Number(reply.headers.get('retry-after'))).to.be.within(19, 20)
      expect(decisionsOf(reply, 'capacity')[0]?.left_out).to.deep.equal(
        [0, 1, 2].map((index) => ({ path: `config.targets[${index}]`, because: 'full' })),
      )
    }
    expect(called()).to.equal('abc')
  })

  it('answer 429 with the results of the input guardrails', async () => {
    scene.answers = { a: full(), b: full() }
    await learn('a', 'b')
    for (const mode of ['loadbalance', 'fallback']) {
      const check = { 'default.contains': { operator: 'none', words: ['forbidden'] } }
      const reply = await ask({ ...tree(mode, [leaf('a'), leaf('b')]), input_guardrails: [check] })
      const results = reply.body.hook_results as { before_request_hooks: { verdict: boolean }[] }
      expect([reply.status, results.before_request_hooks.map(({ verdict }) => verdict)]).to.deep.equal([
        429,
        [true],
      ])
    }
  })

  it('answer likewise when there is only one target, until its window resets', async () => {
    scene.answers = { a: [full(), answerOk] }
    await learn('a')
    const reply = await ask(leaf('a'))
    expect([reply.status, reply.headers.get('retry-after'), called()]).to.deep.equal([429, '30', 'a'])
    await clock.tick(30_000)
    expect((await ask(leaf('a'))).status).to.equal(200)
  })

  it('still answer smaller requests: the estimate of a request is compared with the tokens left', async () => {
    scene.answers = { a: says(tokensLeft(100)) }
    await learn('a')
    expect((await ask(leaf('a'), { max_tokens: 500 })).status).to.equal(429)
    expect((await ask(leaf('a'), { max_tokens: 50 })).status).to.equal(200)
  })

  it('are those without room after the usage sent since the last answer', async () => {
    const held: (() => void)[] = []
    scene.answers = {
      a: [
        says(tokensLeft(100)),
        (request, response, index) => void held.push(() => void answerOk(request, response, index)),
      ],
    }
    await learn('a')
    const first = scene.ask(leaf('a'), { body: chat('hello', { model, max_tokens: 60 }) })
    await clock.until(() => held.length === 1, 'the first call')
    expect((await ask(leaf('a'), { max_tokens: 60 })).status).to.equal(429)
    expect((await ask(tree('loadbalance', [leaf('a'), leaf('b')]), { max_tokens: 60 })).status).to.equal(200)
    for (const answer of held) answer()
    expect((await clock.run(first)).status).to.equal(200)
    expect(called()).to.equal('aab')
  })

  it('are not taken for full by the late answer to an earlier call', async () => {
    const held: (() => void)[] = []
    scene.answers = {
      a: [
        says(requestsLeft(9)),
        (request, response, index) => void held.push(() => void full()(request, response, index)),
        says(requestsLeft(7)),
      ],
    }
    await learn('a')
    const slow = scene.ask(leaf('a'), { body: chat('hello', { model }) })
    await clock.until(() => held.length === 1, 'the slow call')
    await learn('a')
    for (const answer of held) answer()
    await clock.run(slow)
    expect((await ask(leaf('a'))).status).to.equal(200)
  })

  it('count as having all of their limit after a reset, and no more', async () => {
    scene.answers = { a: [says(requestsLeft(0, '30s', 2)), () => undefined] }
    await learn('a')
    await clock.tick(30_000)
    const pending = [1, 2].map(() => scene.askAndLeave(leaf('a'), { body: chat('hello', { model }) }))
    await Promise.all(pending)
    expect((await ask(leaf('a'))).status).to.equal(429)
  })

  it('are known by a refusal with retry-after, which other statuses do not mean', async () => {
    scene.answers = { a: [says({ 'retry-after': '5' }, 429), answerOk], b: says({ 'retry-after': '5' }, 503) }
    await learn('a', 'b')
    expect((await ask(leaf('a'))).headers.get('retry-after')).to.equal('5')
    expect((await ask(leaf('b'))).status).to.equal(503)
    await clock.tick(5000)
    expect((await ask(leaf('a'))).status).to.equal(200)
  })

  it('may be called again at the time that a refusal names, before the whole window resets', async () => {
    scene.answers = { a: [says({ ...tokensLeft(10, '1m'), 'retry-after-ms': '2000' }, 429), answerOk] }
    await ask(leaf('a'), { max_tokens: 100 })
    expect((await ask(leaf('a'), { max_tokens: 100 })).headers.get('retry-after')).to.equal('2')
    await clock.tick(2000)
    expect((await ask(leaf('a'), { max_tokens: 100 })).status).to.equal(200)
  })

  it('are called when the reset cannot be read, and after ten minutes when it is far', async () => {
    scene.answers = { a: full('soon'), b: [full('9h'), answerOk] }
    await learn('a', 'b')
    expect((await ask(leaf('a'))).status).to.equal(200)
    expect((await ask(leaf('b'))).headers.get('retry-after')).to.equal('600')
    await clock.tick(600_000)
    expect((await ask(leaf('b'))).status).to.equal(200)
  })

  it('are known per model and credential, and only for stored credentials', async () => {
    scene.answers = { a: full() }
    await learn('a')
    expect((await ask(leaf('a'), { model: `${model}-mini` })).status).to.equal(200)
    const own = scene.leaf('a')
    expect([(await ask(own)).status, (await ask(own)).status]).to.deep.equal([200, 200])
  })

  it('are learned from streams', async () => {
    scene.answers = { a: full() }
    await ask(leaf('a'), { stream: true })
    expect((await ask(leaf('a'))).status).to.equal(429)
  })

  it('send a sticky session elsewhere, which returns afterwards', async () => {
    const config = tree('loadbalance', [leaf('a'), leaf('b'), leaf('c')], { sticky: { by: 'user' } })
    await ask(config, { user: 'one' })
    const home = called()
    scene.answers = { [home]: [full(), full(), answerOk] }
    await ask(config, { user: 'one' })
    await ask(config, { user: 'one' })
    expect(called().slice(2)).not.to.equal(home)
    await clock.tick(30_000)
    await ask(config, { user: 'one' })
    expect(called().slice(3)).to.equal(home)
  })

  it('get no second call of a hedge', async () => {
    scene.answers = { b: full() }
    await learn('b')
    random(0)
    const config = {
      ...tree('loadbalance', [leaf('a'), leaf('b'), leaf('c')]),
      hedge: { after_ms: 100, budget_percent: 100 },
    }
    scene.answers = { a: () => undefined }
    expect((await ask(config)).status).to.equal(200)
    expect(called()).to.equal('bac')
  })

  it('keep the answer of the provider when a retry finds no room', async () => {
    scene.answers = { a: says({ 'retry-after': '60' }, 429) }
    const reply = await ask(leaf('a', { retry: { attempts: 3 } }))
    expect([reply.status, reply.error.message, called()]).to.deep.equal([429, 'it says 429', 'a'])
  })

  it('do not open circuits by being left out', async () => {
    const config = leaf('a', {
      cb_config: { failure_threshold: 1, cooldown_interval: 30_000, failure_status_codes: [429] },
    })
    scene.answers = { a: [full(), answerOk] }
    await ask(config)
    expect((await ask(config)).error.code).to.equal('capacity_exhausted')
    await clock.tick(30_000)
    expect((await ask(config)).status).to.equal(200)
  })

  it('show the remaining limits in the list of target health, without hosts and credentials', async () => {
    scene.answers = { a: says({ ...requestsLeft(4), ...tokensLeft(0) }) }
    await learn('a')
    const reply = await readReply(await scene.gateway.get('/v1/target-health?workspace_id=default'))
    const found = (reply.body.data as Record<string, unknown>[]).find((row) => row.model === model)
    expect(found).to.deep.include({
      ...{ provider: 'openai', virtual_key: 'a', host_kind: 'stored', state: 'closed', failures: 0 },
      limits: [
        { measure: 'requests', limit: 10, left: 4, resets_at: new Date(Date.now() + 30_000).toISOString() },
        { measure: 'tokens', limit: 1000, left: 0, resets_at: new Date(Date.now() + 30_000).toISOString() },
      ],
      full_until: new Date(Date.now() + 30_000).toISOString(),
    })
    expect(reply.text).not.to.contain('very-secret')
    expect(reply.text).not.to.contain('127.0.0.1')
  })

  it('are described by a dry run as a call would leave them out', async () => {
    scene.answers = { a: full() }
    await learn('a')
    const config = {
      ...tree('loadbalance', [leaf('a'), leaf('b')]),
      queue: { max_wait_ms: 1000, priority: 'batch' },
    }
    const describeRequest = async (of: unknown) => {
      const headers = { 'x-gateway-config': JSON.stringify(of) }
      const asked = { endpoint: 'chatComplete', headers, body: chat('hello', { model }) }
      return (await readReply(await scene.gateway.post('/v1/dry-run', asked))).body as {
        targets: { probability: number; refusals: { code: string }[] }[]
        queue: unknown
      }
    }
    const both = await describeRequest(config)
    expect(both.targets.map(({ probability }) => probability)).to.deep.equal([0, 1])
    expect(both.targets[0]?.refusals.map(({ code }) => code)).to.deep.equal(['capacity_exhausted'])
    const queue = { path: 'config', priority: 10, max_wait_ms: 1000, waiting: 0 }
    expect(both.queue).to.deep.equal({ ...queue, would_wait: false, room_at: null })
    const alone = await describeRequest({ ...config, targets: [leaf('a')] })
    expect(alone.queue).to.deep.equal({
      ...queue,
      would_wait: true,
      room_at: new Date(Date.now() + 30_000).toISOString(),
    })
  })
})
