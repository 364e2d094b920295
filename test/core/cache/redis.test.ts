/** The cache on Redis is shared by gateways, and skipped while Redis is unavailable. */
import { expect } from 'chai'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { until } from '../../support/until.ts'
import { answerOk, openUpstream, type Upstream } from '../../support/upstream.ts'
import { cached, cacheStatus, chatPath } from './support.ts'

describe('the cache on Redis', () => {
  let redis: RedisServer
  let gateways: TestGateway[] = []
  let upstream: Upstream
  let topic = 0

  before(async function () {
    // The Redis suite reports the skipped tests.
    if (!isRedisInstalled()) this.skip()
    redis = await startRedis()
    // The deadline is longer than any delay of a busy machine, so a miss does not depend on speed.
    const file = { redis: { url: redis.url, deadline_ms: 10_000 }, cache: { max_entries: 1 } }
    gateways = await Promise.all([startGateway(file), startGateway(file)])
    upstream = await openUpstream()
  })
  after(async () => {
    for (const gateway of gateways) await gateway.stop()
    await upstream?.close()
    await redis?.stop()
  })
  beforeEach(() => {
    topic += 1
    upstream.handle(answerOk)
  })

  const ask = (gateway: TestGateway, extra: Record<string, unknown> = {}) =>
    gateway.post(chatPath, chat(`topic ${topic}`, extra), cached(upstream.url))

  for (const stream of [false, true]) {
    it(`returns a ${stream ? 'stream' : 'plain answer'} that another gateway stored`, async () => {
      const [one, two] = gateways as [TestGateway, TestGateway]
      const isStored = async () => (await cacheStatus(ask(one, { stream }))) === 'HIT'
      await until('the answer is stored', isStored)
      const first = await (await ask(one, { stream })).text()
      const calls = upstream.seen.length
      const response = await ask(two, { stream })
      expect(response.headers.get('x-gateway-cache-status')).to.equal('HIT')
      expect(await response.text()).to.equal(first)
      expect(upstream.seen).to.have.length(calls)
    })
  }

  it('expires entries after max_age', async () => {
    const [one] = gateways as [TestGateway]
    const config = cached(upstream.url, { cache: { mode: 'simple', max_age: 1 } })
    const asked = () => cacheStatus(one.post(chatPath, chat(`topic ${topic}`), config))
    expect(await asked()).to.equal('MISS')
    // On a busy machine the entry may expire before the request, which then stores it again.
    await until('the entry is used', async () => (await asked()) === 'HIT')
    await until('the entry has ended', async () => (await asked()) === 'MISS')
  })

  it('is skipped while Redis hangs or is down, and used again when it is back', async () => {
    const one = await startGateway({ redis: { url: redis.url }, cache: { max_entries: 1 } })
    gateways.push(one)
    const isReady = async () => (await one.get('/readyz')).status === 200
    await cacheStatus(ask(one))
    redis.pause()
    expect(await cacheStatus(ask(one)), 'Redis hangs').to.equal('MISS')
    expect(await isReady()).to.equal(false)
    redis.resume()
    const { port } = redis
    await redis.stop()
    // Many requests at once, because none of them may wait for Redis in a queue.
    const statuses = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        cacheStatus(one.post(chatPath, chat(`away ${index}`), cached(upstream.url))),
      ),
    )
    expect(statuses).to.deep.equal(Array(50).fill('MISS'))
    expect((await one.get('/healthz')).status).to.equal(200)
    const metrics = await (await one.get('/metrics')).text()
    expect(metrics).to.match(/gateway_cache_errors_total\{operation="read"\} [1-9]/)
    expect(metrics).to.match(/gateway_cache_errors_total\{operation="write"\} [1-9]/)
    redis = await startRedis({ port })
    await until('the gateway is ready again', isReady)
    await until('an answer is stored again', async () => (await cacheStatus(ask(one))) === 'HIT')
  })
})
