/**
 * A gateway that is stopped while Redis cannot be reached leaves its counted usage in the store; another gateway, or
 * the next start, delivers it to Redis, once.
 */
import { expect } from 'chai'
import { chat } from '../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../support/redis.ts'
import { type Replica, replicaAdminKey, startReplica } from '../support/replica.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

if (isPostgresInstalled() && isRedisInstalled())
  describe('usage counted while Redis is unavailable', describeUsage)
else
  console.log('left out: usage counted while Redis is away, because Postgres or Redis is not installed here')

function describeUsage(): void {
  let postgres: PostgresServer
  let redis: RedisServer
  let proxies: TcpProxy[] = []
  let replicas: Replica[] = []

  before(async () => {
    postgres = await startPostgres()
    redis = await startRedis()
    const storeUrl = await postgres.createDatabase()
    for (let index = 0; index < 2; index += 1) {
      const proxy = await startTcpProxy(redis.port)
      proxies = [...proxies, proxy]
      const environment = {
        GATEWAY_STORE_URL: storeUrl,
        GATEWAY_REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
      }
      replicas = [...replicas, await startReplica({ environment })]
    }
  })
  after(async () => {
    for (const replica of replicas) await replica.stop()
    for (const proxy of proxies) await proxy.close()
    await Promise.all([postgres?.close(), redis?.stop()])
  })

  it('of a stopped replica is delivered once, by its next start or by the other replica', async () => {
    const [here, there] = replicas
    const [line] = proxies
    if (here === undefined || there === undefined || line === undefined) throw new Error('There are two.')
    const made = await here.call(replicaAdminKey, 'POST /v1/api-keys/workspace/service', {
      body: {
        name: 'counted',
        workspace_id: 'default',
        scopes: ['completions.write'],
        usage_limits: { type: 'requests', credit_limit: 1000 },
      },
    })
    expect(made.status, made.text).to.equal(200)
    const key = String(made.body.key)
    const call = async (replica: Replica) => {
      const headers = { 'x-gateway-provider': 'echo' }
      const reply = await replica.call(key, 'POST /v1/chat/completions', { body: chat(), headers })
      expect(reply.status, reply.text).to.equal(200)
    }
    const used = async () => {
      const shown = await there.call(replicaAdminKey, `GET /v1/api-keys/${String(made.body.id)}`)
      return (shown.body.usage_limits as { current_usage: number }).current_usage
    }
    await call(here)
    await call(there)
    expect(await used()).to.equal(2)
    line.cut()
    for (let index = 0; index < 3; index += 1) await call(here)
    expect(await used()).to.equal(2)
    here.gateway.signal('SIGTERM')
    await here.gateway.exited
    line.mend()
    await here.restart()
    await until('the usage is delivered', async () => (await used()) === 5)
    await call(here)
    await call(there)
    expect(await used()).to.equal(7)
  })
}
