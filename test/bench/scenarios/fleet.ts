/**
 * Two replicas with two workers each on one Postgres and one Redis: of 4,000 concurrent requests by a key with a limit
 * of 1,000, exactly 1,000 pass, and all others are refused.
 */
import { isPostgresInstalled, startPostgres } from '../../support/postgres.ts'
import { isRedisInstalled, startRedis } from '../../support/redis.ts'
import { type Replica, startReplica } from '../../support/replica.ts'
import type { Bench, Scenario } from '../bench.ts'
import { askAtOnce, makeLimitedKey } from '../burst-requests.ts'
import { makeRow, type Row } from '../rows.ts'

const NAME = 'fleet'
const LIMIT = 1000
const REQUESTS = 4000
const REFUSED = 429

async function run(bench: Bench): Promise<Row[]> {
  if (!isPostgresInstalled() || !isRedisInstalled()) {
    bench.notes.push(`${NAME}: Postgres or Redis is not installed here`)
    return []
  }
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  const replicas: Replica[] = []
  try {
    const config = {
      providers: {
        mock: {
          provider: 'openai',
          api_key: 'sk-bench',
          custom_host: `http://127.0.0.1:${bench.mock.port}/v1`,
        },
      },
      configs: { plain: { provider: '@mock' } },
    }
    const environment = { GATEWAY_STORE_URL: await postgres.createDatabase(), GATEWAY_REDIS_URL: redis.url }
    for (let count = 0; count < 2; count += 1)
      replicas.push(await startReplica({ config, environment, workers: 2 }))
    const [first] = replicas
    if (first === undefined) throw new Error('There is no gateway to ask.')
    const key = await makeLimitedKey(first, NAME, LIMIT)
    const { counts } = await askAtOnce(replicas, { key, config: 'plain', requests: REQUESTS })
    const others = REQUESTS - (counts.get(200) ?? 0) - (counts.get(REFUSED) ?? 0)
    if (others > 0) bench.notes.push(`${NAME}: ${JSON.stringify([...counts])} by status`)
    return [
      makeRow({
        scenario: NAME,
        figure: `let through of ${REQUESTS} at once, limit ${LIMIT}`,
        unit: 'requests',
        values: { gateway: counts.get(200) ?? 0 },
        atMost: LIMIT,
        atLeast: LIMIT,
      }),
      makeRow({
        scenario: NAME,
        figure: 'neither let through nor refused by the limit',
        unit: 'requests',
        values: { gateway: others },
        atMost: 0,
      }),
    ]
  } finally {
    for (const replica of replicas) await replica.stop()
    await Promise.all([postgres.close(), redis.stop()])
  }
}

export const fleet: Scenario = { name: NAME, run }
