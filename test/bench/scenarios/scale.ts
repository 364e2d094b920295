/**
 * The cost of one request for the services of a fleet: one gateway with Postgres and Redis, stored keys with limits,
 * and every body in the log. Measured by Redis and Postgres themselves over a run, and divided by its requests.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@redis/client'
import pg from 'pg'
import { isPostgresInstalled, startPostgres } from '../../support/postgres.ts'
import { isRedisInstalled, startRedis } from '../../support/redis.ts'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row, type Unit } from '../rows.ts'
import { keyDraft, seedStore } from '../seed.ts'
import { FILE_LIMITS, KEY_LIMITS, KEYS_IN_USE, keyPattern, keyText } from '../stored-key-load.ts'
import { cpuMs } from '../usage.ts'

const NAME = 'scale'
/** The log is written behind the requests. */
const SETTLE_MS = 3_000

/** Readings that only increase. */
interface Readings {
  gatewayCpuMs: number
  redisCpuMs: number
  redisCommands: number
  redisBytes: number
  postgresCpuMs: number
  transactions: number
  rows: number
  walBytes: number
  databaseBytes: number
}

async function run(bench: Bench): Promise<Row[]> {
  if (!isPostgresInstalled() || !isRedisInstalled()) {
    bench.notes.push(`${NAME}: Postgres or Redis is not installed here`)
    return []
  }
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  const client = createClient({ url: redis.url })
  try {
    await client.connect()
    const url = await postgres.createDatabase()
    const prepared = prepareGateway(workFolder(), bench.mock.port, FILE_LIMITS)
    await openEmpty(url)
    await seedStore(url, KEYS_IN_USE, (index) => keyDraft(index, keyText(index), KEY_LIMITS))
    const env = { ...prepared.env, GATEWAY_STORE_URL: url, GATEWAY_REDIS_URL: redis.url }
    const database = new pg.Client(url)
    await database.connect()
    try {
      return await withServers(bench, ['gateway'], {
        use: async (servers) => {
          const pid = servers[0]?.child.pid ?? 0
          const read = () => readAll(pid, () => client.info(), database)
          const contest = {
            name: NAME,
            servers,
            connections: 64,
            body: chatBody({}),
            expect: EXPECT_JSON,
            config: 'plain',
            headers: () => ({ 'x-gateway-api-key': keyPattern, 'x-gateway-config': 'plain' }),
            counterBelow: KEYS_IN_USE,
          } as const
          await runRounds(bench, { ...contest, rounds: 1 })
          await sleep(SETTLE_MS)
          const before = await read()
          const runs = await runRounds(bench, { ...contest, warmUp: false })
          await sleep(SETTLE_MS)
          const after = await read()
          const requests = runs.reduce((sum, { result }) => sum + result.completed, 0)
          return rowsOf(before, after, requests)
        },
        setting: { prepared: { ...prepared, env } },
      })
    } finally {
      await database.end()
    }
  } finally {
    client.destroy()
    await redis.stop()
    await postgres.close()
  }
}

/** Makes the tables. */
const openEmpty = (url: string) => seedStore(url, 0, (index) => keyDraft(index, '', KEY_LIMITS))

async function readAll(
  gatewayPid: number,
  info: () => Promise<string>,
  database: pg.Client,
): Promise<Readings> {
  const told = await info()
  const redisFigure = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(told)?.[1])
  const { rows } = await database.query<Record<string, string>>(
    `select xact_commit as transactions, tup_inserted + tup_updated as rows,
      pg_database_size(datname) as size, pg_current_wal_lsn() - '0/0' as wal,
      current_setting('data_directory') as directory
      from pg_stat_database where datname = current_database()`,
  )
  const [row = {}] = rows
  const postmaster = Number(readFileSync(`${row.directory}/postmaster.pid`, 'utf8').split('\n')[0])
  return {
    gatewayCpuMs: cpuMs(gatewayPid),
    redisCpuMs: cpuMs(redisFigure('process_id')),
    redisCommands: redisFigure('total_commands_processed'),
    redisBytes: redisFigure('total_net_input_bytes') + redisFigure('total_net_output_bytes'),
    postgresCpuMs: cpuMs(postmaster),
    transactions: Number(row.transactions),
    rows: Number(row.rows),
    walBytes: Number(row.wal),
    databaseBytes: Number(row.size),
  }
}

function rowsOf(before: Readings, after: Readings, requests: number): Row[] {
  const row = (
    figure: string,
    { unit, name, factor = 1 }: { unit: Unit; name: keyof Readings; factor?: number },
  ): Row => {
    const gateway = ((after[name] - before[name]) * factor) / requests
    return makeRow({ scenario: NAME, figure, unit, values: { gateway } })
  }
  return [
    row(FIGURES.gatewayCpu, { unit: 'µs', name: 'gatewayCpuMs', factor: 1000 }),
    row(FIGURES.redisCpu, { unit: 'µs', name: 'redisCpuMs', factor: 1000 }),
    row(FIGURES.redisCommands, { unit: 'commands', name: 'redisCommands' }),
    row(FIGURES.redisBytes, { unit: 'bytes', name: 'redisBytes' }),
    row(FIGURES.postgresCpu, { unit: 'µs', name: 'postgresCpuMs', factor: 1000 }),
    row(FIGURES.transactions, { unit: 'transactions', name: 'transactions' }),
    row(FIGURES.rows, { unit: 'rows', name: 'rows' }),
    row(FIGURES.walBytes, { unit: 'bytes', name: 'walBytes' }),
    row(FIGURES.databaseBytes, { unit: 'bytes', name: 'databaseBytes' }),
  ]
}

/** The factors that the page multiplies. */
export const FIGURES = {
  gatewayCpu: 'CPU of the gateway a request',
  redisCpu: 'CPU of Redis a request',
  redisCommands: 'commands that Redis runs a request, those of scripts included',
  redisBytes: 'bytes to and from Redis a request',
  postgresCpu: 'CPU of Postgres a request',
  transactions: 'transactions of Postgres a request',
  rows: 'rows that Postgres writes a request',
  walBytes: 'write-ahead log of Postgres a request',
  databaseBytes: 'growth of the database a request, bodies of 1 kB kept',
} as const

export const scale: Scenario = { name: NAME, run }
