/**
 * Where the time of the slowest hundredth of chats comes from: the usual gateway next to one without the log's thread
 * (the log stays in memory), one with this thread on another core, and one that hardly ever collects garbage. With two
 * cores the other core is that of the load generator and the mock.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { cpuMicroseconds, latencyP99, medians, perSecond, type Reading } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { processTree } from '../usage.ts'

const NAME = 'tails'
const USUAL = 'usual'
const IN_MEMORY = 'the log in memory'
const APART = "the log's thread on another core"
const UNCOLLECTED = 'hardly any collections'

async function run(bench: Bench): Promise<Row[]> {
  const inMemory = prepareGateway(workFolder(), bench.mock.port)
  inMemory.env.GATEWAY_STORE_URL = 'memory:'
  const settings = [
    { label: USUAL },
    { label: IN_MEMORY, prepared: inMemory },
    { label: APART },
    // A collection every 6,000 chats or so.
    { label: UNCOLLECTED, nodeFlags: ['--min-semi-space-size=128', '--max-semi-space-size=128'] },
  ]
  const runs = await withAll(bench, settings, async (servers) => {
    for (const { label, child } of servers) if (label === APART) moveLogThread(bench, child.pid)
    const shared = { servers, body: chatBody({}), expect: EXPECT_JSON, config: 'plain' } as const
    return {
      many: await runRounds(bench, { ...shared, name: `${NAME} c=64`, connections: 64 }),
      one: await runRounds(bench, { ...shared, name: `${NAME} c=1`, connections: 1, warmUp: false }),
    }
  })
  const figures: [figure: string, unit: Row['unit'], runs: typeof runs.one, reading: Reading][] = [
    ['latency p99, c=1', 'ms', runs.one, latencyP99],
    ['latency p99, c=64', 'ms', runs.many, latencyP99],
    ['rate, c=64', 'req/s', runs.many, perSecond],
    ['CPU per request, c=64', 'µs', runs.many, cpuMicroseconds],
  ]
  return figures.flatMap(([figure, unit, measured, reading]) => {
    const { [USUAL]: usual = Number.NaN, ...others } = medians(measured, reading)
    return [
      makeRow({ scenario: NAME, figure, unit, values: { gateway: usual } }),
      ...Object.entries(others).map(([label, value]) =>
        makeRow({
          scenario: NAME,
          figure: `${figure}, ${label}`,
          unit,
          values: { gateway: value, [USUAL]: usual },
          ratioTo: { [USUAL]: null },
        }),
      ),
    ]
  })
}

type Setting = Parameters<typeof withServers>[2]['setting']

/** Starts a gateway with each setting, and passes all of them to `use`. */
function withAll<Result>(
  bench: Bench,
  [setting, ...others]: readonly Setting[],
  use: (servers: Server[]) => Promise<Result>,
): Promise<Result> {
  return withServers(bench, ['gateway'], {
    use: (started) =>
      others.length === 0 ? use(started) : withAll(bench, others, (further) => use([...started, ...further])),
    ...(setting === undefined ? {} : { setting }),
  })
}

/** The store's thread is the only one with a lower priority. */
const niceness = 5
/** The position of the niceness in `/proc/PID/task/TID/stat`, behind the name, which may contain spaces. */
const nicenessAt = 16

function moveLogThread(bench: Bench, root: number): void {
  const core = bench.machine.pins?.load[0]
  const moved = processTree(root).flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).filter((thread) => {
      const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
      return Number(fields?.[nicenessAt]) === niceness
    }),
  )
  if (core === undefined || moved.length === 0) {
    bench.notes.push(`${NAME}: the log's thread could not be moved to another core`)
    return
  }
  for (const thread of moved) spawnSync('taskset', ['-cp', String(core), thread])
}

export const tails: Scenario = { name: NAME, run }
