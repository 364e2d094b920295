/** Bursts against shared limits, with the default deadlines: exactly the limit is allowed. */
import { expect } from 'chai'
import { chat } from '../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../support/redis.ts'
import { type Replica, replicaAdminKey, startReplica } from '../support/replica.ts'

const limit = 100
const callers = 400

/** The store of the counters; Postgres stores the keys in both cases. */
const stores: { name: string; isInstalled: boolean; hasRedis: boolean }[] = [
  { name: 'Postgres alone', isInstalled: isPostgresInstalled(), hasRedis: false },
  { name: 'Redis', isInstalled: isPostgresInstalled() && isRedisInstalled(), hasRedis: true },
]

for (const { name, isInstalled, hasRedis } of stores) {
  if (isInstalled) describe(`a burst against limits on ${name}`, () => describeBurst(hasRedis))
  else console.log(`left out: a burst against limits on ${name}, because it is not installed here`)
}

function describeBurst(hasRedis: boolean): void {
  let postgres: PostgresServer
  let redis: RedisServer | undefined
  let replicas: Replica[] = []

  before(async () => {
    postgres = await startPostgres()
    redis = hasRedis ? await startRedis() : undefined
    const environment: Record<string, string> = {
      GATEWAY_STORE_URL: await postgres.createDatabase(),
      ...(redis === undefined ? {} : { GATEWAY_REDIS_URL: redis.url }),
    }
    replicas = [await startReplica({ environment }), await startReplica({ environment })]
  })
  after(async () => {
    for (const replica of replicas) await replica.stop()
    await Promise.all([postgres?.close(), redis?.stop()])
  })

  const makeKey = async (limits: Record<string, unknown>): Promise<string> => {
    const body = { name: 'burst', workspace_id: 'default', scopes: ['completions.write'], ...limits }
    const made = await replicas[0]?.call(replicaAdminKey, 'POST /v1/api-keys/workspace/service', { body })
    expect(made?.status, made?.text).to.equal(200)
    return String(made?.body.key)
  }

  /** The number of answers by status. */
  const burst = async (key: string, gateways: number): Promise<Record<number, number>> => {
    const headers = { 'x-gateway-provider': 'echo' }
    const ask = (index: number) =>
      replicas[index % gateways]?.call(key, 'POST /v1/chat/completions', { body: chat(), headers })
    const replies = await Promise.all(Array.from({ length: callers }, (_, index) => ask(index)))
    const counts: Record<number, number> = {}
    for (const reply of replies) counts[reply?.status ?? 0] = (counts[reply?.status ?? 0] ?? 0) + 1
    return counts
  }

  for (const gateways of [1, 2]) {
    it(`allows exactly ${limit} of ${callers} concurrent requests on ${gateways} gateway(s)`, async () => {
      const key = await makeKey({ rate_limits: [{ type: 'requests', unit: 'rpd', value: limit }] })
      const counts = await burst(key, gateways)
      expect(counts).to.deep.equal({ 200: limit, 429: callers - limit })
    })
  }
}
