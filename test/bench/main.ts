/**
 * `npm run bench`: measures this gateway against a bare relay, a Koa route that answers a constant and the reference
 * package, and prints a table. It starts all servers itself on 127.0.0.1, every run is bounded in requests and in time,
 * and all started processes are stopped by process id, also after a failure. It does not fail if a figure misses its
 * target, but if a server could not be measured.
 */
import { writeFileSync } from 'node:fs'
import { startProgress } from '#core/boot/progress'
import { onScreen } from '../support/progress-output.ts'
import type { Bench, Scenario } from './bench.ts'
import { stopAll } from './children.ts'
import { type Measured, readFigures, record, worseThan, writeFigures } from './figures.ts'
import { startLoad } from './load/load-client.ts'
import { describeMachine } from './machine.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { writePage } from './page.ts'
import { installReference } from './reference-package.ts'
import { alwaysDisturbed, disturbances } from './remarks.ts'
import { renderReport } from './report.ts'
import type { Row } from './rows.ts'
import { batches } from './scenarios/batches.ts'
import { budgets } from './scenarios/budgets.ts'
import { burstOnPostgres } from './scenarios/burst.ts'
import { cacheHit } from './scenarios/cache-hit.ts'
import { chat } from './scenarios/chat.ts'
import { checks } from './scenarios/checks.ts'
import { counters } from './scenarios/counters.ts'
import { curve } from './scenarios/curve.ts'
import { files } from './scenarios/files.ts'
import { fleet } from './scenarios/fleet.ts'
import { groups } from './scenarios/groups.ts'
import { growth } from './scenarios/growth.ts'
import { guarded } from './scenarios/guarded.ts'
import { killed } from './scenarios/kill.ts'
import { logs } from './scenarios/logs.ts'
import { management } from './scenarios/management.ts'
import { manyStreams } from './scenarios/many-streams.ts'
import { mcp } from './scenarios/mcp.ts'
import { memory } from './scenarios/memory.ts'
import { nodeVersions } from './scenarios/node-versions.ts'
import { ownWork } from './scenarios/own-work.ts'
import { prompts } from './scenarios/prompts.ts'
import { provisioning } from './scenarios/provisioning.ts'
import { scale } from './scenarios/scale.ts'
import { shadow } from './scenarios/shadow.ts'
import { start } from './scenarios/start.ts'
import { storedKeys } from './scenarios/stored-keys.ts'
import { streamed } from './scenarios/streamed.ts'
import { tails } from './scenarios/tails.ts'
import { takeOver } from './scenarios/take-over.ts'
import { telemetry } from './scenarios/telemetry.ts'
import { translated } from './scenarios/translated.ts'
import { unread } from './scenarios/unread.ts'
import { workers } from './scenarios/workers.ts'
import { startServer } from './servers.ts'

const SCENARIOS: readonly Scenario[] = [
  chat,
  curve,
  guarded,
  streamed,
  cacheHit,
  memory,
  manyStreams,
  unread,
  start,
  workers,
  tails,
  nodeVersions,
  translated,
  telemetry,
  shadow,
  checks,
  counters,
  storedKeys,
  budgets,
  management,
  growth,
  logs,
  groups,
  provisioning,
  mcp,
  fleet,
  scale,
  burstOnPostgres,
  killed,
  batches,
  files,
  prompts,
  takeOver,
  ownWork,
]
const WHOLE_RUN_LIMIT_MS = 90 * 60_000

async function main(options: Options): Promise<number> {
  const chosen = SCENARIOS.filter(({ name }) => options.only.length === 0 || options.only.includes(name))
  const unknown = options.only.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name))
  if (options.help || unknown.length > 0) {
    const names = SCENARIOS.map(({ name }) => name).join(' ')
    console.error(
      `${unknown.map((name) => `unknown scenario: ${name}\n`).join('')}${USAGE}\n\nscenarios: ${names}`,
    )
    return options.help ? 0 : 2
  }
  if (options.page) {
    writePage(readFigures())
    return 0
  }
  const bench = await prepare(options)
  const rows: Row[] = []
  const progress = await startProgress(onScreen(), {
    title: 'Measuring',
    total: chosen.length,
    fewest: 0,
    unit: 'scenarios',
  })
  for (const [index, scenario] of chosen.entries()) {
    progress.advance(index === 0 ? 0 : 1, scenario.name)
    const measured = await runScenario(scenario, bench)
    rows.push(...measured.rows)
    if (options.record) writeFigures(record(readFigures(), scenario.name, measured))
  }
  progress.advance()
  progress.end()
  bench.notes.push(...disturbances(bench.runs))
  console.log(renderReport(bench.machine, rows, bench.notes))
  if (options.jsonFile !== null) writeJson(options.jsonFile, bench, rows)
  if (options.record) writePage(readFigures())
  const worse = options.quick ? worseThan(readFigures(), rows) : []
  for (const sentence of worse) console.error(`worse than recorded: ${sentence}`)
  return bench.missing.size > 0 || worse.length > 0 ? 1 : 0
}

/** Marks the rows of a scenario in which a figure could only be measured while other processes were running. */
async function runScenario(scenario: Scenario, bench: Bench): Promise<Measured> {
  const before = { runs: bench.runs.length, notes: bench.notes.length, series: bench.series.length }
  const rows = await scenario.run(bench)
  const disturbed = alwaysDisturbed(bench.runs.slice(before.runs)).length > 0
  return {
    machine: bench.machine,
    rows: rows.map((row) => ({ ...row, disturbed })),
    series: bench.series.slice(before.series),
    notes: bench.notes.slice(before.notes),
  }
}

async function prepare({ effort, quick }: Options): Promise<Bench> {
  const machine = describeMachine(new Date())
  const notes = quick ? ['--quick: short runs; not to judge by'] : []
  const fault = installReference()
  if (fault !== '') notes.push(fault)
  const { pins } = machine
  const cores = pins === null ? null : pins.mock
  const mock = await startServer('direct', { mockPort: 0, cores, workers: 1, label: 'direct' })
  const load = startLoad(pins === null ? null : pins.load)
  const missing: Bench['missing'] = new Set(fault === '' ? [] : ['reference'])
  return { effort, machine, mock, load, missing, notes, runs: [], series: [] }
}

function writeJson(file: string, { machine, effort, notes, runs }: Bench, rows: readonly Row[]): void {
  const flat = runs.map(({ contest, run }) => ({ contest, ...run }))
  writeFileSync(file, `${JSON.stringify({ machine, effort, rows, notes, runs: flat }, null, 2)}\n`)
}

async function end(status: number): Promise<never> {
  await stopAll()
  process.exit(status)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130))
setTimeout(() => {
  console.error('the bench took too long and was ended')
  void end(1)
}, WHOLE_RUN_LIMIT_MS).unref()

try {
  await end(await main(readOptions(process.argv.slice(2))))
} catch (error) {
  const isUsage =
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error)
  await end(isUsage ? 2 : 1)
}
