/**
 * Target health shared by replicas over one Redis, through HTTP: when one opens a circuit, all stop calling the target.
 */
import { expect } from 'chai'
import {
  adminKey,
  chat,
  configHeader,
  startGateway,
  type TestGateway,
  target,
} from '../../support/gateway.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { until } from '../../support/until.ts'
import { answerOk, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

if (isRedisInstalled()) describe('target health on several replicas', describeHealth)
else console.log('left out: the health of targets on replicas, because Redis is not installed here')

function describeHealth(this: Mocha.Suite): void {
  let redis: RedisServer
  let upstream: Upstream
  const replicas: TestGateway[] = []

  const start = async () => {
    const environment = {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
      GATEWAY_STORE_URL: 'memory:',
      GATEWAY_REDIS_URL: redis.url,
    }
    const providers = { mine: { provider: 'openai', api_key: 'sk-1', custom_host: upstream.url } }
    const replica = await startGateway({ providers }, { environment })
    replicas.push(replica)
    return replica
  }
  before(async () => {
    redis = await startRedis()
    upstream = await openUpstream()
    await start()
    await start()
  })
  after(async () => {
    for (const replica of replicas) await replica.stop()
    await upstream?.close()
    await redis?.stop()
  })

  const config = () => ({
    ...target(upstream.url),
    cb_config: { failure_threshold: 2, cooldown_interval: 30_000 },
  })
  const ask = async (replica: TestGateway) => {
    const answer = await replica.post('/v1/chat/completions', chat(), configHeader(config()))
    const { error } = (await answer.json()) as { error?: { code: string } }
    return `${answer.status} ${error?.code ?? ''}`.trim()
  }
  const stateOf = async (replica: TestGateway) => {
    const answer = await replica.get('/v1/target-health?workspace_id=default')
    const { data } = (await answer.json()) as { data: { state: string; model: string }[] }
    return data.find(({ model }) => model === 'test-model')?.state
  }

  it('is shared: failures are counted together, and a circuit opens for all replicas', async () => {
    const [one, other] = replicas as [TestGateway, TestGateway]
    upstream.handle(answerOk)
    expect([await ask(one), await ask(other)]).to.deep.equal(['200', '200'])
    upstream.handle((_request, response) => sendJson(response, 503, { error: { message: 'no', code: 'no' } }))
    expect([await ask(one), await ask(other)]).to.deep.equal(['503 no', '503 no'])
    for (const replica of [one, other])
      await until('its circuit is open', async () => (await stateOf(replica)) === 'open')
    const called = upstream.seen.length
    expect([await ask(one), await ask(other)]).to.deep.equal(['503 circuit_open', '503 circuit_open'])
    expect(upstream.seen.length).to.equal(called)
  })
  it('includes the remaining limits of a provider', async () => {
    const [one, other] = replicas as [TestGateway, TestGateway]
    upstream.handle((request, response, count) => {
      response.setHeader('x-ratelimit-limit-requests', '5')
      response.setHeader('x-ratelimit-remaining-requests', '0')
      response.setHeader('x-ratelimit-reset-requests', '5m')
      return answerOk(request, response, count)
    })
    const limited = (replica: TestGateway) =>
      replica.post(
        '/v1/chat/completions',
        { ...chat(), model: 'limited' },
        configHeader({ provider: '@mine' }),
      )
    expect((await limited(one)).status).to.equal(200)
    const called = upstream.seen.length
    for (const replica of [other, await start()]) {
      await until('it knows the limit', async () => {
        const { data } = (await (await replica.get('/v1/target-health?workspace_id=default')).json()) as {
          data: { model: string; limits: { left: number }[] }[]
        }
        return data.find(({ model }) => model === 'limited')?.limits[0]?.left === 0
      })
      expect((await limited(replica)).status).to.equal(429)
    }
    expect(upstream.seen.length).to.equal(called)
  })
  it('is known to a replica that starts later, before it is ready', async () => {
    const late = await start()
    await until('it is ready', async () => (await late.get('/readyz')).status === 200)
    expect(await stateOf(late)).to.equal('open')
    const called = upstream.seen.length
    expect(await ask(late)).to.equal('503 circuit_open')
    expect(upstream.seen.length).to.equal(called)
  })
}
