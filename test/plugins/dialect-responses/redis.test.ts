/** Stored responses on Redis are shared by gateways. While Redis is unavailable, no response is reported as deleted. */
import { expect } from 'chai'
import { json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { until } from '../../support/until.ts'

describe('stored responses on Redis', () => {
  let redis: RedisServer
  let gateways: TestGateway[]

  before(async function () {
    // The Redis suite reports the skipped tests.
    if (!isRedisInstalled()) this.skip()
    redis = await startRedis()
    const file = { redis: { url: redis.url }, providers: { e: { provider: 'echo' } } }
    gateways = await Promise.all([startGateway(file), startGateway(file)])
  })
  after(async () => {
    for (const gateway of gateways ?? []) await gateway.stop()
    await redis?.stop()
  })

  const ask = (gateway: TestGateway | undefined, extra: object = {}) =>
    gateway?.post('/v1/responses', { model: '@e/echo-1', input: 'hello', ...extra }) as Promise<Response>
  const read = (gateway: TestGateway | undefined, id: string) =>
    gateway?.get(`/v1/responses/${id}`) as Promise<Response>

  it('are shared by all replicas', async () => {
    const [one, two] = gateways
    const { id } = await json(await ask(one))
    expect((await json(await read(two, id ?? ''))).id).to.equal(id)
    const next = await json(await ask(two, { previous_response_id: id, input: 'x' }))
    expect(next.previous_response_id).to.equal(id)
    const items = await json((await one?.get(`/v1/responses/${next.id}/input_items`)) as Response)
    expect(items.data).to.have.length(3)
  })

  it('are not reported as deleted while Redis is unavailable, and new responses are still created', async () => {
    const [one] = gateways
    const { id } = await json(await ask(one))
    redis.pause()
    try {
      await until('the state cannot be read', async () => (await read(one, id ?? '')).status === 503)
      expect((await ask(one, { previous_response_id: id })).status).to.equal(503)
      expect((await ask(one)).status).to.equal(200)
    } finally {
      redis.resume()
    }
    await until('the state is back', async () => (await read(one, id ?? '')).status === 200)
  })
})

describe('stored responses on a Redis that cannot be reached', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({
      redis: { url: 'redis://127.0.0.1:1' },
      providers: { e: { provider: 'echo' } },
    })
  })
  after(() => gateway.stop())

  const ask = (extra: object = {}) =>
    gateway.post('/v1/responses', { model: '@e/echo-1', input: 'hello', ...extra })

  it('are reported as unavailable, not as missing', async () => {
    for (const response of [
      await gateway.get('/v1/responses/resp_1'),
      await gateway.get('/v1/responses/resp_1/input_items'),
      await ask({ previous_response_id: 'resp_1' }),
    ]) {
      expect(response.status).to.equal(503)
      expect((await json(response)).error).to.have.property('code', 'dependency_unavailable')
    }
  })

  it('do not prevent answers, and the log names the store that is down', async () => {
    for (const stream of [false, true]) {
      const response = await ask({ stream })
      expect(response.status).to.equal(200)
      expect(await response.text()).to.contain('hello')
    }
    const told = gateway.logs.filter(({ msg }) => msg === 'failed to store a response')
    expect(told).to.have.length(2)
  })
})
