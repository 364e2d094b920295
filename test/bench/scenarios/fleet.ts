/**
 * Two replicas with two workers each over one Postgres and one Redis: of 4,000 requests at once, by a key whose limit is
 * 1,000, exactly 1,000 pass, and all others hear of the limit.
 */
import { Agent, request } from 'node:http'
import { isPostgresInstalled, startPostgres } from '../../support/postgres.ts'
import { isRedisInstalled, startRedis } from '../../support/redis.ts'
import { type Replica, replicaAdminKey, startReplica } from '../../support/replica.ts'
import type { Bench, Scenario } from '../bench.ts'
import { chatBody } from '../requests.ts'
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
    const counts = await askAll(replicas, await makeKey(replicas))
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

async function makeKey([replica]: readonly Replica[]): Promise<string> {
  const made = await replica?.call(replicaAdminKey, 'POST', '/v1/api-keys/workspace/service', {
    name: NAME,
    workspace_id: 'default',
    scopes: ['completions.write'],
    rate_limits: [{ type: 'requests', unit: 'rpd', value: LIMIT }],
  })
  if (made?.status !== 200) throw new Error(`The key of the scenario could not be made: ${made?.text}`)
  return String(made.body.key)
}

/** How many answers had which status; 0: none came. */
async function askAll(replicas: readonly Replica[], key: string): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const counts = new Map<number, number>()
  await Promise.all(
    Array.from({ length: REQUESTS }, async (_, index) => {
      const status = await ask(agent, replicas[index % replicas.length]?.url ?? '', key)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }),
  )
  agent.destroy()
  return counts
}

function ask(agent: Agent, url: string, key: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      'x-gateway-api-key': key,
      'x-gateway-config': 'plain',
    }
    const sent = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (answer) => {
      answer.on('close', () => resolve(answer.complete ? (answer.statusCode ?? 0) : 0))
      answer.on('error', () => resolve(0))
      answer.resume()
    })
    sent.on('error', () => resolve(0))
    sent.end(chatBody({}))
  })
}

export const fleet: Scenario = { name: NAME, run }
