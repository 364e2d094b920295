/**
 * Killed ten times (four with `--quick`) while four writers write and four requests hold reservations: how many
 * acknowledged writes are lost, on SQLite and on Postgres, and what remains reserved once every lease has ended.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type KillResult, killUnderLoad, reservedOnPostgres } from '../../support/kill-rounds.ts'
import { isPostgresInstalled, startPostgres } from '../../support/postgres.ts'
import { startReplica } from '../../support/replica.ts'
import type { Bench, Scenario } from '../bench.ts'
import { makeRow, type Row } from '../rows.ts'

const NAME = 'kill'
const WRITES_PER_ROUND = 50
const HOLDING_KEY = 'gw-bench-holding-0123456789'

async function run(bench: Bench): Promise<Row[]> {
  // An upstream that never answers: reservations stay.
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  try {
    return [...(await onSqlite(bench, port)), ...(await onPostgres(bench, port))]
  } finally {
    silent.closeAllConnections()
    silent.close()
  }
}

async function onSqlite(bench: Bench, port: number): Promise<Row[]> {
  return [rowOf('SQLite', await kill(bench, port, {}))]
}

async function onPostgres(bench: Bench, port: number): Promise<Row[]> {
  if (!isPostgresInstalled()) {
    bench.notes.push(`${NAME}: Postgres is not installed here`)
    return []
  }
  const server = await startPostgres()
  try {
    const url = await server.createDatabase()
    const result = await kill(bench, port, { GATEWAY_STORE_URL: url })
    const { later } = await reservedOnPostgres(url)
    const reserved = makeRow({
      scenario: NAME,
      figure: 'reservations left after their leases, Postgres',
      unit: 'requests',
      values: { gateway: later },
      atMost: 0,
    })
    return [rowOf('Postgres', result), reserved]
  } finally {
    await server.close()
  }
}

async function kill(bench: Bench, port: number, environment: Record<string, string>): Promise<KillResult> {
  const config = {
    providers: {
      silent: { provider: 'openai', api_key: 'sk-bench', custom_host: `http://127.0.0.1:${port}/v1` },
    },
    configs: { silent: { provider: '@silent' } },
    api_keys: [
      {
        name: 'holding',
        key_hash: `sha256:${createHash('sha256').update(HOLDING_KEY).digest('hex')}`,
        scopes: ['completions.write'],
        usage_limits: { type: 'tokens', credit_limit: 1_000_000 },
      },
    ],
  }
  const replica = await startReplica({ config, environment })
  try {
    const rounds = 2 * bench.effort.rounds
    return await killUnderLoad(replica, { rounds, writesPerRound: WRITES_PER_ROUND, holdingKey: HOLDING_KEY })
  } finally {
    await replica.stop()
  }
}

const rowOf = (engine: string, { acknowledged, lost }: KillResult): Row =>
  makeRow({
    scenario: NAME,
    figure: `lost of ${acknowledged.toLocaleString('en-US')} acknowledged, ${engine}`,
    unit: 'writes',
    values: { gateway: lost.length },
    atMost: 0,
  })

export const killed: Scenario = { name: NAME, run }
