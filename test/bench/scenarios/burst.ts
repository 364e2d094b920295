/**
 * A burst against a limit that gateways share only through Postgres: of 400 requests at once, by a key whose limit is
 * 100, exactly 100 pass on one gateway and on two, and all are answered within a second.
 */
import { isPostgresInstalled, startPostgres } from '../../support/postgres.ts'
import { type Replica, startReplica } from '../../support/replica.ts'
import type { Bench, Scenario } from '../bench.ts'
import { askAtOnce, makeLimitedKey } from '../burst-requests.ts'
import { makeRow, type Row } from '../rows.ts'
import { median } from '../statistics.ts'

const NAME = 'burst'
const LIMIT = 100
const REQUESTS = 400
const MOST_MS = 1000

async function run(bench: Bench): Promise<Row[]> {
  if (!isPostgresInstalled()) {
    bench.notes.push(`${NAME}: Postgres is not installed here`)
    return []
  }
  const postgres = await startPostgres()
  const replicas: Replica[] = []
  try {
    const environment = { GATEWAY_STORE_URL: await postgres.createDatabase() }
    const config = { configs: { plain: { provider: 'echo' } } }
    const rows: Row[] = []
    for (const gateways of ['one gateway', 'two gateways']) {
      replicas.push(await startReplica({ config, environment }))
      rows.push(...(await burst(bench, replicas, gateways)))
    }
    return rows
  } finally {
    for (const replica of replicas) await replica.stop()
    await postgres.close()
  }
}

/** A separate key for each round. The first round warms the gateways up, and only its counts are evaluated. */
async function burst(bench: Bench, replicas: readonly Replica[], gateways: string): Promise<Row[]> {
  const passed: number[] = []
  const times: number[] = []
  for (let round = 0; round <= bench.effort.rounds; round += 1) {
    const [first] = replicas
    if (first === undefined) throw new Error('There is no gateway to ask.')
    const key = await makeLimitedKey(first, `${NAME} ${replicas.length} ${round}`, LIMIT)
    const { counts, elapsedMs } = await askAtOnce(replicas, { key, config: 'plain', requests: REQUESTS })
    passed.push(counts.get(200) ?? 0)
    if (round > 0) times.push(elapsedMs)
    const others = REQUESTS - (counts.get(200) ?? 0) - (counts.get(429) ?? 0)
    if (others > 0) bench.notes.push(`${NAME}: ${JSON.stringify([...counts])} by status, ${gateways}`)
  }
  const worst = passed.reduce((one, other) => (Math.abs(one - LIMIT) > Math.abs(other - LIMIT) ? one : other))
  return [
    makeRow({
      scenario: NAME,
      figure: `let through of ${REQUESTS} at once, limit ${LIMIT}, ${gateways}, worst round`,
      unit: 'requests',
      values: { gateway: worst },
      atMost: LIMIT,
      atLeast: LIMIT,
    }),
    makeRow({
      scenario: NAME,
      figure: `${REQUESTS} at once, all answered, ${gateways}`,
      unit: 'ms',
      values: { gateway: median(times) },
      atMost: MOST_MS,
    }),
  ]
}

export const burstOnPostgres: Scenario = { name: NAME, run }
