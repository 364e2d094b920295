/** `hedge`: a second call when the first takes too long. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { stubRandom, turnUntil } from '../../support/clock.ts'
import { openScene, tree } from '../../support/scene.ts'
import { until } from '../../support/until.ts'
import { chatEvents, sendEvents } from '../../support/upstream.ts'

const ok = (text: string) =>
  JSON.stringify({ choices: [{ message: { role: 'assistant', content: text } }], model: text })
const send = (response: ServerResponse, status: number, text: string) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(status === 200 ? ok(text) : JSON.stringify({ error: { message: text } }))
}

describe('a hedged call', () => {
  const scene = openScene()
  const random = stubRandom()
  /** Calls that wait for the test to answer them. */
  let held: { name: string; response: ServerResponse; isClosed: boolean }[] = []

  beforeEach(() => {
    held = []
    random(0)
  })
  afterEach(() => {
    for (const { response } of held) response.destroy()
  })

  const hold = (...names: string[]) => {
    for (const name of names)
      scene.answers[name] = (_request, response) => {
        const call = { name, response, isClosed: false }
        response.on('close', () => {
          call.isClosed = true
        })
        held.push(call)
      }
  }
  const called = (count: number) => turnUntil(() => held.length === count, `${count} calls are made`)
  /** Gives the gateway time to read an answer that was sent; it is in the same process. */
  const whenRead = async () => {
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  const leaf = (name: string, extra: object = {}) => scene.leaf(name, { ...extra })
  const hedge = { after_ms: 20 }
  const hedgedTree = (mode: 'fallback' | 'loadbalance', names: string[], extra: object = {}) => ({
    ...tree(
      mode,
      names.map((name) => leaf(name)),
    ),
    hedge: { ...hedge, ...extra },
  })

  it('calls the same target again and uses the first answer', async () => {
    hold('slow')
    const asked = scene.ask(leaf('slow', { hedge }))
    await called(2)
    send(held[1]?.response as ServerResponse, 200, 'second')
    const reply = await asked
    expect(reply.status).to.equal(200)
    expect(reply.body.model).to.equal('second')
    expect(reply.headers.get('x-gateway-hedge-count')).to.equal('1')
    await turnUntil(() => held[0]?.isClosed === true, 'the call that lost is aborted')
  })

  it('uses the first call when it answers first after all', async () => {
    hold('slow')
    const asked = scene.ask(leaf('slow', { hedge }))
    await called(2)
    send(held[0]?.response as ServerResponse, 200, 'first')
    expect((await asked).body.model).to.equal('first')
    await turnUntil(() => held[1]?.isClosed === true, 'the extra call is aborted')
  })

  it('makes no second call when the answer is fast', async () => {
    const reply = await scene.ask(leaf('quick', { hedge: { after_ms: 10_000 } }))
    expect(reply.headers.get('x-gateway-hedge-count')).to.equal(null)
    expect(scene.calls()).to.deep.equal(['quick'])
  })

  it('waits for the other call when one fails', async () => {
    hold('slow')
    const asked = scene.ask(leaf('slow', { hedge, retry: { attempts: 0, on_status_codes: [500] } }))
    await called(2)
    send(held[1]?.response as ServerResponse, 500, 'bad')
    send(held[0]?.response as ServerResponse, 200, 'good')
    expect((await asked).body.model).to.equal('good')
  })

  for (const status of [400, 429, 500])
    it(`waits for the first call when the second one answers ${status}, without a retry`, async () => {
      hold('slow')
      const asked = scene.ask(leaf('slow', { hedge }))
      await called(2)
      send(held[1]?.response as ServerResponse, status, 'bad')
      await turnUntil(() => held[1]?.isClosed === true, 'the second answer is sent')
      await whenRead()
      send(held[0]?.response as ServerResponse, 200, 'good')
      const { status: answered, body } = await asked
      expect([answered, body.model]).to.deep.equal([200, 'good'])
    })

  it('waits for the second call when the first one fails meanwhile', async () => {
    hold('slow')
    const asked = scene.ask(leaf('slow', { hedge }))
    await called(2)
    send(held[0]?.response as ServerResponse, 400, 'bad')
    await turnUntil(() => held[0]?.isClosed === true, 'the first answer is sent')
    await whenRead()
    send(held[1]?.response as ServerResponse, 200, 'good')
    expect((await asked).body.model).to.equal('good')
  })

  for (const mode of ['leaf', 'loadbalance', 'fallback'] as const)
    it(`answers with the first call when both fail (${mode})`, async () => {
      hold('a', 'b')
      const config = mode === 'leaf' ? leaf('a', { hedge }) : hedgedTree(mode, ['a', 'b'])
      // Neither status makes the fallback continue.
      if (mode === 'fallback') Object.assign(config, { strategy: { mode, on_status_codes: [503] } })
      const asked = scene.ask(config)
      await called(2)
      send(held[1]?.response as ServerResponse, 429, 'second')
      await turnUntil(() => held[1]?.isClosed === true, 'the second answer is sent')
      await whenRead()
      send(held[0]?.response as ServerResponse, 400, 'first')
      const { status, text } = await asked
      expect([status, text.includes('first')]).to.deep.equal([400, true])
    })

  for (const mode of ['loadbalance', 'fallback'] as const)
    it(`waits for the first target when the second one refuses the request (${mode})`, async () => {
      hold('a', 'b')
      const config = hedgedTree(mode, ['a', 'b'])
      if (mode === 'fallback') Object.assign(config, { strategy: { mode, on_status_codes: [503] } })
      const asked = scene.ask(config)
      await called(2)
      send(held[1]?.response as ServerResponse, 400, 'bad')
      await turnUntil(() => held[1]?.isClosed === true, 'the second answer is sent')
      await whenRead()
      send(held[0]?.response as ServerResponse, 200, 'good')
      const { status, index } = await asked
      expect([status, index]).to.deep.equal([200, 'config.targets[0]'])
    })

  it('waits for the first stream when the second one fails', async () => {
    hold('slow')
    const asked = scene.ask(leaf('slow', { hedge }), {
      body: { model: 'm', stream: true, messages: [{ role: 'user', content: 'a' }] },
    })
    await called(2)
    send(held[1]?.response as ServerResponse, 429, 'bad')
    await turnUntil(() => held[1]?.isClosed === true, 'the second answer is sent')
    await whenRead()
    sendEvents(held[0]?.response as ServerResponse, chatEvents('streamed'))
    const reply = await asked
    expect([reply.status, reply.text.includes('[DONE]')]).to.deep.equal([200, true])
  })

  it('calls the next target of a fallback, and names the winner', async () => {
    hold('a', 'b')
    const asked = scene.ask(hedgedTree('fallback', ['a', 'b', 'c']))
    await called(2)
    expect(held.map(({ name }) => name)).to.deep.equal(['a', 'b'])
    send(held[1]?.response as ServerResponse, 200, 'b')
    const reply = await asked
    expect(reply.index).to.equal('config.targets[1]')
    await turnUntil(() => held[0]?.isClosed === true, 'the call that lost is aborted')
  })

  it('continues with the targets after both when both fail', async () => {
    hold('a', 'b')
    const asked = scene.ask(hedgedTree('fallback', ['a', 'b', 'c']))
    await called(2)
    for (const { response } of held) send(response, 503, 'no')
    const reply = await asked
    expect(reply.index).to.equal('config.targets[2]')
    expect(scene.calls()).to.deep.equal(['a', 'b', 'c'])
  })

  it('calls another target of a loadbalance', async () => {
    hold('a', 'b')
    const asked = scene.ask(hedgedTree('loadbalance', ['a', 'b']))
    await called(2)
    expect(held.map(({ name }) => name)).to.deep.equal(['a', 'b'])
    send(held[1]?.response as ServerResponse, 200, 'b')
    expect((await asked).index).to.equal('config.targets[1]')
  })

  it('sends no hedge when there is no other target', async () => {
    hold('a')
    const asked = scene.ask(hedgedTree('loadbalance', ['a']))
    await called(1)
    await new Promise((resolve) => setTimeout(resolve, 60))
    send(held[0]?.response as ServerResponse, 200, 'a')
    expect((await asked).headers.get('x-gateway-hedge-count')).to.equal(null)
  })

  it('hedges a stream until its first content', async () => {
    hold('slow')
    const asked = scene.ask(leaf('slow', { hedge }), {
      body: { model: 'm', stream: true, messages: [{ role: 'user', content: 'a' }] },
    })
    await called(2)
    sendEvents(held[1]?.response as ServerResponse, chatEvents('streamed'))
    const reply = await asked
    expect(reply.text).to.include('[DONE]')
    expect(reply.headers.get('x-gateway-hedge-count')).to.equal('1')
  })

  it('records neither a failure nor an attempt for the call that lost', async () => {
    hold('slow')
    const config = leaf('slow', { hedge, cb_config: { failure_threshold: 1, cooldown_interval: 30_000 } })
    for (let round = 0; round < 3; round += 1) {
      const asked = scene.ask(config)
      await called(2 * round + 2)
      send(held[2 * round + 1]?.response as ServerResponse, 200, 'second')
      const reply = await asked
      expect(reply.status).to.equal(200)
      expect(reply.headers.get('x-gateway-attempts')).to.equal(null)
    }
  })

  it('stops at its budget of extra calls', async () => {
    hold('slow')
    const config = leaf('slow', { name: 'budget', hedge: { after_ms: 5, budget_percent: 1 } })
    const refusals = async () => {
      const text = await (await scene.gateway.get('/metrics')).text()
      return Number(/^gateway_hedges_total\{outcome="budget"\} (\d+)/m.exec(text)?.[1] ?? 0)
    }
    const before = await refusals()
    for (let round = 0; round < 12; round += 1) {
      const from = held.length
      const asked = scene.ask(config)
      if (round < 10) await called(from + 2)
      else await until('the budget refuses', async () => (await refusals()) === before + round - 9)
      for (const { response } of held.slice(from)) if (!response.writableEnded) send(response, 200, 'late')
      await asked
    }
    expect(held.length).to.equal(12 + 10)
  })

  it('aborts both calls when the caller disconnects', async () => {
    hold('slow')
    const left = scene.askAndLeave(leaf('slow', { hedge: { after_ms: 1 } }))
    await left
    await turnUntil(() => held.length > 0 && held.every(({ isClosed }) => isClosed), 'all calls are aborted')
  })

  const refused: [what: string, config: () => object, param: string][] = [
    ['a single strategy', () => ({ ...tree('single', [leaf('a')]), hedge }), 'config/hedge'],
    ['no time', () => leaf('a', { hedge: {} }), 'config/hedge/after_ms'],
    ['a time of 0', () => leaf('a', { hedge: { after_ms: 0 } }), 'config/hedge/after_ms'],
    [
      'a budget of 0',
      () => leaf('a', { hedge: { after_ms: 1, budget_percent: 0 } }),
      'config/hedge/budget_percent',
    ],
    ['an unknown key', () => leaf('a', { hedge: { after_ms: 1, calls: 2 } }), 'config/hedge'],
  ]
  for (const [what, config, param] of refused)
    it(`is refused with ${what}`, async () => {
      const { status, error } = await scene.ask(config())
      expect({ status, code: error.code, param: error.param }).to.deep.equal({
        status: 400,
        code: 'invalid_config',
        param,
      })
    })
})
