/**
 * Management at 100,000 saved configs, on SQLite and on Postgres: the first pages of the list and single objects, one
 * request at a time, as a console asks.
 */
import { isPostgresInstalled, startPostgres } from '../../support/postgres.ts'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import { timesOf } from '../request-times.ts'
import { makeRow, type Row } from '../rows.ts'
import { configDraft, configSlug, seedStore } from '../seed.ts'
import { quantile } from '../statistics.ts'

const NAME = 'management'
const OBJECTS = 100_000
const FIRST_PAGES = 10
const MOST_MS = 20
/** The number of requests in each round of the bench. */
const REQUESTS_PER_ROUND = 100
const MOST_WARM_UP = 2_000

async function run(bench: Bench): Promise<Row[]> {
  return [...(await onSqlite(bench)), ...(await onPostgres(bench))]
}

async function onSqlite(bench: Bench): Promise<Row[]> {
  const prepared = prepareGateway(workFolder(), bench.mock.port)
  await seedStore(`sqlite:${prepared.dataDirectory}/gateway.db`, OBJECTS, configDraft)
  return measure(bench, 'SQLite', prepared)
}

async function onPostgres(bench: Bench): Promise<Row[]> {
  if (!isPostgresInstalled()) {
    bench.notes.push(`${NAME}: Postgres is not installed here`)
    return []
  }
  const server = await startPostgres()
  try {
    const url = await server.createDatabase()
    await seedStore(url, OBJECTS, configDraft)
    const prepared = prepareGateway(workFolder(), bench.mock.port)
    return await measure(bench, 'Postgres', {
      ...prepared,
      env: { ...prepared.env, GATEWAY_STORE_URL: url },
    })
  } finally {
    await server.close()
  }
}

function measure(bench: Bench, engine: string, prepared: ReturnType<typeof prepareGateway>): Promise<Row[]> {
  return withServers(bench, ['gateway'], {
    use: async ([server]) => {
      if (server === undefined) return []
      const list = () => `/v1/configs?current_page=${Math.floor(Math.random() * FIRST_PAGES)}`
      const single = () => `/v1/configs/${configSlug(Math.floor(Math.random() * OBJECTS))}`
      return [
        await row(bench, `list p99 at 100,000 objects, ${engine}`, { port: server.port, pathOf: list }),
        await row(bench, `get p99 at 100,000 objects, ${engine}`, { port: server.port, pathOf: single }),
      ]
    },
    setting: { label: engine, prepared },
  })
}

async function row(
  bench: Bench,
  figure: string,
  { port, pathOf }: { port: number; pathOf: () => string },
): Promise<Row> {
  const { rounds, warmUpRequests } = bench.effort
  await timesOf(port, Math.min(MOST_WARM_UP, warmUpRequests), pathOf)
  const times = await timesOf(port, rounds * REQUESTS_PER_ROUND, pathOf)
  const p99 = quantile(times, 0.99)
  return makeRow({ scenario: NAME, figure, unit: 'ms', values: { gateway: p99 }, atMost: MOST_MS })
}

export const management: Scenario = { name: NAME, run }
