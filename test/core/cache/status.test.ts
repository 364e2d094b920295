/** Which answers are stored and for how long, and the cache status in the answer. */
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { answerOk, chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { cached, cacheStatus, chatPath, statusOf } from './support.ts'

describe('the cache', () => {
  let gateway: TestGateway
  let upstream: Upstream
  /** Makes the requests of each test unique. */
  let topic = 0

  before(async () => {
    gateway = await startGateway({ cache: { default_max_age: 100 } })
    upstream = await openUpstream()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  beforeEach(() => {
    topic += 1
    upstream.handle(answerOk)
  })

  const ask = (extra: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    gateway.post(chatPath, chat(`topic ${topic}`), { ...cached(upstream.url, extra), ...headers })

  it('reports DISABLED without a cache, MISS for the first request, and HIT afterwards', async () => {
    const calls = upstream.seen.length
    expect(await cacheStatus(ask({ cache: undefined }))).to.equal('DISABLED')
    expect(await cacheStatus(ask())).to.equal('MISS')
    expect(await cacheStatus(ask())).to.equal('HIT')
    expect(upstream.seen).to.have.length(calls + 2)
  })

  it('returns the stored answer unchanged, with the provider and target that produced it', async () => {
    upstream.handle((_request, response) =>
      sendJson(
        response,
        {
          status: 200,
          headers: {
            'x-request-id': 'first',
            'set-cookie': 'a=1',
          },
        },
        chatAnswer('é世', { odd: [1] }),
      ),
    )
    const config = {
      strategy: { mode: 'fallback' },
      cache: { mode: 'simple' },
      targets: [target('http://127.0.0.1:1'), target(upstream.url)],
    }
    const answers = []
    for (const expected of ['MISS', 'HIT']) {
      const response = await gateway.post(chatPath, chat('whole'), configHeader(config))
      expect(statusOf(response)).to.equal(expected)
      expect(response.headers.get('x-gateway-provider')).to.equal('openai')
      expect(response.headers.get('x-gateway-last-used-option-index')).to.equal('config.targets[1]')
      expect(response.headers.get('x-gateway-provider-request-id')).to.equal('first')
      expect(response.headers.has('set-cookie')).to.equal(false)
      answers.push(await response.text())
    }
    expect(answers[1]).to.equal(answers[0])
    expect(JSON.parse(answers[0] ?? '')).to.deep.equal(chatAnswer('é世', { odd: [1] }))
  })

  it('gives every answer its own trace id', async () => {
    await ask({}, { 'x-gateway-trace-id': 'one' })
    const response = await ask({}, { 'x-gateway-trace-id': 'two' })
    expect(statusOf(response)).to.equal('HIT')
    expect(response.headers.get('x-gateway-trace-id')).to.equal('two')
  })

  it('is refreshed only by the value true', async () => {
    const refresh = { 'x-gateway-cache-force-refresh': 'true' }
    expect(await cacheStatus(ask({}, refresh)), 'nothing stored').to.equal('REFRESH')
    expect(await cacheStatus(ask())).to.equal('HIT')
    upstream.handle((_request, response) => sendJson(response, 200, chatAnswer('newer')))
    for (const word of ['false', '1', 'yes']) {
      expect(await cacheStatus(ask({}, { 'x-gateway-cache-force-refresh': word })), word).to.equal('HIT')
    }
    expect(await cacheStatus(ask({}, refresh))).to.equal('REFRESH')
    const response = await ask()
    expect(statusOf(response)).to.equal('HIT')
    expect(await response.text()).to.contain('newer')
  })

  it('keeps the stored answer when a refresh fails', async () => {
    await ask()
    upstream.handle((_request, response) => sendJson(response, 500, { error: { message: 'no' } }))
    const refreshed = await ask({}, { 'x-gateway-cache-force-refresh': 'true' })
    expect(refreshed.status).to.equal(500)
    expect(statusOf(refreshed)).to.equal('REFRESH')
    expect(await cacheStatus(ask())).to.equal('HIT')
  })

  for (const status of [201, 202, 400, 404, 429, 500]) {
    it(`does not store an answer with ${status}`, async () => {
      const body = status < 300 ? chatAnswer('ok') : { error: { message: 'no' } }
      upstream.handle((_request, response) => sendJson(response, status, body))
      for (let count = 0; count < 2; count += 1) {
        const response = await ask()
        expect(response.status).to.equal(status)
        expect(statusOf(response)).to.equal('MISS')
      }
    })
  }

  it('does not store an answer that broke off', async () => {
    upstream.handle((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' })
      response.write('{"choices":[]}', () => response.socket?.destroy())
    })
    for (let count = 0; count < 2; count += 1) {
      const response = await ask()
      expect(response.status).to.equal(502)
      expect(statusOf(response)).to.equal('MISS')
    }
    upstream.handle(answerOk)
    expect((await ask()).status).to.equal(200)
  })

  describe('with max_age', () => {
    let clock: Clock & { uninstall(): void }
    beforeEach(() => {
      clock = install({
        now: Date.now(),
        toFake: ['setTimeout', 'clearTimeout', 'Date'],
        shouldClearNativeTimers: true,
      })
    })
    afterEach(() => clock.uninstall())

    for (const [what, config, seconds] of [
      ['max_age', { mode: 'simple', max_age: 10 }, 10],
      ['the default of the config file', { mode: 'simple' }, 100],
    ] as const) {
      it(`expires after ${what}, and not before`, async () => {
        expect(await cacheStatus(ask({ cache: config }))).to.equal('MISS')
        await clock.tickAsync(seconds * 1000 - 1)
        expect(await cacheStatus(ask({ cache: config }))).to.equal('HIT')
        await clock.tickAsync(2)
        expect(await cacheStatus(ask({ cache: config }))).to.equal('MISS')
      })
    }

    it('uses no answer older than the max_age of the request, whatever the one that stored it had', async () => {
      const within = (max_age: number) => cacheStatus(ask({ cache: { mode: 'simple', max_age } }))
      expect(await within(3600)).to.equal('MISS')
      await clock.tickAsync(60_000)
      expect(await within(3600)).to.equal('HIT')
      expect(await within(61)).to.equal('HIT')
      expect(await within(60)).to.equal('MISS')
    })
  })

  it('refuses a max_age below 1', async () => {
    const response = await ask({ cache: { mode: 'simple', max_age: 0 } })
    expect(response.status).to.equal(400)
    expect(await response.json()).to.have.nested.property('error.param', 'config/cache/max_age')
  })
})
