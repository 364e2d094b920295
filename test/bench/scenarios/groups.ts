/** Grouping 1,000,000 entries of the log over a month by a metadata key with 5,000 values, on SQLite: processor time. */
import type { Store } from '@gateway/contract'
import sqlStore from '@gateway/store-sql'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import { fillLog } from '../log-entries.ts'
import { timesOf } from '../request-times.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { median } from '../statistics.ts'
import { cpuMs } from '../usage.ts'

const NAME = 'groups'
const ENTRIES = 1_000_000
const ENTRIES_OF_QUICK_RUNS = 20_000
/** The log keeps metadata for a month, beyond which nothing is grouped by it. */
const DAYS = 29
const VALUES = 5000
const KEY = 'customer'
const MOST_CPU_MS = 3000

async function run(bench: Bench): Promise<Row[]> {
  const entries = bench.effort.rounds > 2 ? ENTRIES : ENTRIES_OF_QUICK_RUNS
  const prepared = prepareGateway(workFolder(), bench.mock.port)
  const url = `sqlite:${prepared.dataDirectory}/gateway.db`
  const store: Store = await sqlStore.open(url, { directory: '.', report: console.error })
  if (store.log === undefined) throw new Error('SQLite keeps no log.')
  const metadataOf = () => ({ [KEY]: `customer-${Math.floor(Math.random() * VALUES)}` })
  await fillLog(store.log, { entries, days: DAYS, metadataOf })
  await store.close()
  return withServers(bench, ['gateway'], {
    use: (servers) => measure(bench, servers, entries),
    setting: { prepared },
  })
}

async function measure(bench: Bench, [server]: Server[], entries: number): Promise<Row[]> {
  if (server === undefined) return []
  const cpu: number[] = []
  const times: number[] = []
  for (let round = 0; round < bench.effort.rounds; round += 1) {
    const before = cpuMs(server.child.pid)
    times.push(...(await timesOf(server.port, 1, pathOf)))
    cpu.push(cpuMs(server.child.pid) - before)
  }
  const of = `${entries.toLocaleString('en-US')} entries by a metadata key with ${VALUES.toLocaleString('en-US')} values, SQLite`
  const row = (figure: string, value: number, goal: { atMost?: number }) =>
    makeRow({ scenario: NAME, figure: `${figure} of ${of}`, unit: 'ms', values: { gateway: value }, ...goal })
  return [row('CPU for groups', median(cpu), { atMost: MOST_CPU_MS }), row('groups', median(times), {})]
}

/** The start of the period differs in each round: no answer can come from a cache. */
function pathOf(): string {
  const since = encodeURIComponent(new Date(Date.now() - DAYS * 86_400_000).toISOString())
  return `/v1/analytics/groups/metadata/${KEY}?time_of_generation_min=${since}`
}

export const groups: Scenario = { name: NAME, run }
