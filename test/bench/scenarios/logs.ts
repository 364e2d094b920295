/**
 * The log at 1,000,000 entries over 30 days, on each installed engine: lists, a trace, analytics, the bytes per entry
 * on disk, and the effect of a query over the whole month on chat completions.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '@gateway/contract'
import clickHouse from '@gateway/store-clickhouse'
import sqlStore from '@gateway/store-sql'
import pg from 'pg'
import { isClickHouseInstalled, startClickHouse } from '../../support/clickhouse.ts'
import { isPostgresInstalled, startPostgres } from '../../support/postgres.ts'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { type PreparedGateway, prepareGateway } from '../gateway-config.ts'
import { fillLog } from '../log-entries.ts'
import { timesOf } from '../request-times.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { latencyP99, medians } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { median } from '../statistics.ts'

const NAME = 'logs'
const ENTRIES = 1_000_000
const ENTRIES_OF_QUICK_RUNS = 20_000
const DAYS = 30
const CONNECTIONS = 16
const MOST_WORSE = 2

const COLUMNS = [
  ...['cost', 'total_tokens', 'avg_tokens', 'avg_input_tokens', 'avg_output_tokens', 'avg_latency'],
  ...['p95_latency', 'p99_latency', 'success_rate', 'error_count', 'cache_hit_rate', 'first_seen'],
  'last_seen',
].join(',')

/** The most milliseconds, and bytes an entry. */
interface Targets {
  page: number
  filtered: number
  trace: number
  week: number
  month: number
  graph: number
  bytes: number
}

const SQLITE: Targets = { page: 50, filtered: 300, trace: 10, week: 300, month: 1500, graph: 500, bytes: 220 }
const POSTGRES: Targets = { ...SQLITE, month: 1000, bytes: 400 }
const CLICKHOUSE: Targets = {
  ...{ page: 500, filtered: 500, trace: 200, week: 100, month: 250, graph: 100, bytes: 100 },
}

interface Engine {
  name: string
  targets: Targets
  prepared: PreparedGateway
  open(): Promise<Store>
  /** The size of the whole log, while no process has it open. */
  bytes(): Promise<number>
}

async function run(bench: Bench): Promise<Row[]> {
  return [...(await onSqlite(bench)), ...(await onPostgres(bench)), ...(await onClickHouse(bench))]
}

const options = { directory: '.', report: console.error }

function onSqlite(bench: Bench): Promise<Row[]> {
  const prepared = prepareGateway(workFolder(), bench.mock.port)
  const { dataDirectory } = prepared
  const files = () => readdirSync(dataDirectory).filter((name) => name.startsWith('gateway'))
  return measure(bench, {
    name: 'SQLite',
    targets: SQLITE,
    prepared,
    open: async () => sqlStore.open(`sqlite:${dataDirectory}/gateway.db`, options),
    bytes: async () => files().reduce((sum, name) => sum + statSync(join(dataDirectory, name)).size, 0),
  })
}

async function onPostgres(bench: Bench): Promise<Row[]> {
  if (!isPostgresInstalled()) {
    bench.notes.push(`${NAME}: Postgres is not installed here`)
    return []
  }
  const server = await startPostgres()
  try {
    const url = await server.createDatabase()
    const prepared = prepareGateway(workFolder(), bench.mock.port)
    return await measure(bench, {
      name: 'Postgres',
      targets: POSTGRES,
      prepared: { ...prepared, env: { ...prepared.env, GATEWAY_STORE_URL: url } },
      open: async () => sqlStore.open(url, options),
      bytes: () => bytesOnPostgres(url),
    })
  } finally {
    await server.close()
  }
}

async function bytesOnPostgres(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // The server would do this by itself at some time.
    await client.query('vacuum analyze')
    const { rows } = await client.query<{ bytes: string }>(
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relname like 'log_%' and relkind = 'r'`,
    )
    return Number(rows[0]?.bytes)
  } finally {
    await client.end()
  }
}

async function onClickHouse(bench: Bench): Promise<Row[]> {
  if (!isClickHouseInstalled()) {
    bench.notes.push(`${NAME}: ClickHouse (the package chdb) is not installed here`)
    return []
  }
  const server = await startClickHouse()
  try {
    const url = server.createDatabase({ batch_ms: '1000' })
    const prepared = prepareGateway(workFolder(), bench.mock.port)
    const size = 'select sum(bytes_on_disk) from system.parts where active and database = currentDatabase()'
    return await measure(bench, {
      name: 'ClickHouse',
      targets: CLICKHOUSE,
      prepared: { ...prepared, env: { ...prepared.env, GATEWAY_LOGS_URL: url } },
      open: async () => clickHouse.open(url, options),
      async bytes() {
        for (const table of ['log_facts', 'log_contents'])
          await server.ask(url, `optimize table ${table} final`)
        return Number(await server.ask(url, size))
      },
    })
  } finally {
    await server.close()
  }
}

async function measure(bench: Bench, engine: Engine): Promise<Row[]> {
  const isWhole = bench.effort.rounds > 2
  const entries = isWhole ? ENTRIES : ENTRIES_OF_QUICK_RUNS
  const store = await engine.open()
  if (store.log === undefined) throw new Error(`${engine.name} keeps no log.`)
  const trace = await fillLog(store.log, { entries, days: DAYS })
  await store.close()
  const bytes = (await engine.bytes()) / entries
  const of = `${entries.toLocaleString('en-US')} entries, ${engine.name}`
  const row = (
    figure: string,
    { value, atMost, unit = 'ms' }: { value: number; atMost: number; unit?: 'ms' | 'bytes' },
  ) => makeRow({ scenario: NAME, figure: `${figure}, ${of}`, unit, values: { gateway: value }, atMost })
  return withServers(bench, ['gateway'], {
    use: async ([server]) => {
      if (server === undefined) return []
      const { targets } = engine
      const rows: Row[] = []
      for (const [figure, path, most] of figuresOf(trace, targets)) {
        const times = await timesOf(server.port, bench.effort.rounds * 2 + 1, () => path)
        rows.push(row(figure, { value: median(times), atMost: most }))
      }
      rows.push(row('disk per entry', { value: bytes, atMost: targets.bytes, unit: 'bytes' }))
      return [...rows, await chatBeside(bench, server, of)]
    },
    setting: { label: engine.name, prepared: engine.prepared },
  })
}

function figuresOf(trace: string, targets: Targets): [figure: string, path: string, most: number][] {
  const since = (days: number) =>
    `time_of_generation_min=${encodeURIComponent(new Date(Date.now() - days * 86_400_000).toISOString())}`
  const groups = (days: number) => `/v1/analytics/groups/model?columns=${COLUMNS}&${since(days)}`
  return [
    ['first page', '/v1/logs', targets.page],
    ['filtered page', '/v1/logs?ai_model=gpt-5&status_code=429,500', targets.filtered],
    ['trace by id', `/v1/traces/${trace}`, targets.trace],
    ['13 columns by model, 7 days', groups(7), targets.week],
    ['13 columns by model, 30 days', groups(DAYS), targets.month],
    ['graph by hour, 30 days', `/v1/analytics/graphs/requests?interval=hour&${since(DAYS)}`, targets.graph],
  ]
}

/** The 99th percentile of chat completions during continuous analytics queries over the whole month. */
async function chatBeside(bench: Bench, server: Server, of: string): Promise<Row> {
  const contest = {
    servers: [server],
    connections: CONNECTIONS,
    body: chatBody({}),
    expect: EXPECT_JSON,
    config: 'plain' as const,
  }
  const without = medians(await runRounds(bench, { ...contest, name: `${NAME} ${of}, alone` }), latencyP99)
  let isOver = false
  const since = encodeURIComponent(new Date(Date.now() - DAYS * 86_400_000).toISOString())
  const path = `/v1/analytics/groups/model?columns=${COLUMNS}&time_of_generation_min=${since}`
  const asked = (async () => {
    while (!isOver) await timesOf(server.port, 1, () => path)
  })()
  const runs = await runRounds(bench, { ...contest, name: `${NAME} ${of}, beside a query`, warmUp: false })
  isOver = true
  await asked
  const alone = 'without a query'
  return makeRow({
    scenario: NAME,
    figure: `chat p99 beside a query over 30 days, c=${CONNECTIONS}, ${of}`,
    unit: 'ms',
    values: {
      gateway: medians(runs, latencyP99)[server.label] ?? Number.NaN,
      [alone]: without[server.label] ?? Number.NaN,
    },
    ratioAtMost: { [alone]: MOST_WORSE },
  })
}

export const logs: Scenario = { name: NAME, run }
