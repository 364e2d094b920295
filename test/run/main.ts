/**
 * The test run: selects the lanes and files, runs the tracks in parallel, and reports every lane even if one fails. The
 * last line is `N passed, N failed`. Usage: options.ts.
 */
import { availableParallelism } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { affectedTests, changedPaths } from './changed.ts'
import { readImportGraph } from './import-graph.ts'
import { embedded, type Lane, lanes } from './lanes.ts'
import { type Options, readOptions, usage } from './options.ts'
import { type LaneResult, printLane, printSummary, showProgress } from './report.ts'
import { runLane, stopLanes } from './run-lane.ts'
import { prepare } from './servers.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder.ts'
import { builtPath, type TestFile, testFiles } from './test-files.ts'
import { printTimes, timesFile } from './times.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const reporter = fileURLToPath(new URL('json-reporter.js', import.meta.url))
const mocha = fileURLToPath(new URL('../../../node_modules/mocha/bin/mocha.js', import.meta.url))
const clock = new URL('../support/shift-clock.js', import.meta.url).href
const progressMs = 500
/** Collecting garbage less often takes a tenth off the processor's time of tests, which start many gateways. */
const youngSpace = '--max-semi-space-size=32'

interface Planned {
  lane: Lane
  files: readonly TestFile[]
}

const quickLanes = lanes.filter(({ part, takes }) => part === 'quick' && takes !== undefined)
const isQuick = (file: TestFile): boolean => quickLanes.some(({ takes }) => takes?.(file) === true)

/** Each lane with its files; those without any are left out. */
function plan(options: Options): Planned[] {
  const graph = readImportGraph(root)
  const files = testFiles(graph)
  if (options.paths.length > 0)
    return [{ lane: chosenLane('selected', {}), files: filesAt(options.paths, files) }]
  if (options.isChanged) {
    const affected = affectedTests(graph, files, changedPaths(root, options.base)).filter(isQuick)
    console.log(`${affected.length} of ${files.length} test files reach a change`)
    return [{ lane: chosenLane('changed', embedded), files: affected }]
  }
  if (options.lane !== null && !lanes.some(({ name }) => name === options.lane))
    throw new Error(`There is no lane "${options.lane}". Lanes: ${lanes.map(({ name }) => name).join(', ')}.`)
  return lanes
    .filter(({ name, part }) =>
      options.lane === null ? options.part === 'all' || part === options.part : name === options.lane,
    )
    .map((lane) => ({ lane, files: files.filter((file) => lane.takes?.(file) === true) }))
    .filter(({ lane, files: taken }) => lane.command !== undefined || taken.length > 0)
}

const chosenLane = (name: string, environment: Record<string, string>): Lane => ({
  name,
  part: 'quick',
  track: 'compute',
  jobs: availableParallelism(),
  environment,
})

/** @throws Error for a path without a test file */
function filesAt(paths: readonly string[], files: readonly TestFile[]): TestFile[] {
  const chosen = paths.flatMap((path) => {
    const name = relative(join(root, 'test'), resolve(path)).split(sep).join('/')
    const found = files.filter(
      (file) => file.name === name || file.name.startsWith(`${name}/`) || name === '',
    )
    if (found.length === 0) throw new Error(`${path} has no test file. Name a file or folder below test/.`)
    return found
  })
  return [...new Set(chosen)]
}

/** The environment of a process whose clock is shifted to a time of day; the same for all processes of the run. */
function environmentAt(at: string): Record<string, string> {
  const [hour = 0, minute = 0] = at.split(':').map(Number)
  const now = Date.now()
  const shiftMs = new Date(now).setUTCHours(hour, minute, 0, 0) - now
  const options = [process.env.NODE_OPTIONS ?? '', `--import=${clock}`].join(' ').trim()
  return { TEST_CLOCK_SHIFT_MS: String(shiftMs), NODE_OPTIONS: options }
}

/** The environment that passes the options to the tests of a lane. */
function environmentOf({ seed, path, store, isTimed }: Options, lane: Lane): Record<string, string> {
  return {
    ...(seed === null ? {} : { TEST_SEED: seed }),
    ...(path === null ? {} : { TEST_PATH: path }),
    ...(store === null ? {} : { TEST_STORE: store }),
    ...(isTimed ? { TEST_TIMES_FILE: timesFile(lane.name) } : {}),
  }
}

function wordsOf(lane: Lane, { grep }: Options, files: readonly TestFile[]): string[] {
  if (lane.command !== undefined) return [...lane.command]
  const jobs = Math.min(lane.jobs ?? 1, files.length)
  const parallel = jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []
  return [youngSpace, mocha, '--reporter', reporter, ...parallel, ...(grep === null ? [] : ['--fgrep', grep])]
}

/** Runs the planned lanes: those of a track in turn, the tracks in parallel. */
async function runAll(planned: readonly Planned[], options: Options): Promise<LaneResult[]> {
  const startedAt = performance.now()
  const running: LaneResult[] = []
  const timer = setInterval(() => showProgress(running, performance.now() - startedAt), progressMs)
  async function runOne({ lane, files }: Planned): Promise<LaneResult[]> {
    const server = await prepare(lane)
    if (server === null) return []
    const at = options.at ?? lane.at
    const environment: Record<string, string> = {
      ...lane.environment,
      ...server.environment,
      ...environmentOf(options, lane),
      ...(at === undefined ? {} : environmentAt(at)),
    }
    const state = { passed: 0, failures: [], filesDone: 0, elapsedMs: 0, leftOut: [] }
    const result: LaneResult = {
      name: lane.name,
      fileCount: files.length,
      store: environment.TEST_STORE,
      at,
      state,
    }
    running.push(result)
    const words = [...wordsOf(lane, options, files), ...server.words]
    const built = files.map(({ name }) => builtPath(name))
    const run = { name: lane.name, words, files: built, environment, node: server.node }
    result.state = await runLane(run, (next) => Object.assign(result, { state: next }))
    running.splice(running.indexOf(result), 1)
    await server.close()
    printLane(result)
    printTimes(lane.name)
    return [result]
  }
  async function runTrack(track: readonly Planned[]): Promise<LaneResult[]> {
    const results: LaneResult[] = []
    for (const one of track) results.push(...(await runOne(one)))
    return results
  }
  const tracks = new Set(planned.map(({ lane }) => lane.track))
  const results = await Promise.all(
    [...tracks].map((track) => runTrack(planned.filter(({ lane }) => lane.track === track))),
  )
  clearInterval(timer)
  printSummary(results.flat(), performance.now() - startedAt)
  return results.flat()
}

async function main(): Promise<void> {
  const temporary = makeTemporaryFolder()
  process.env.TMPDIR = temporary
  const remove = () => removeTemporaryFolder(temporary)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stopLanes()
      remove()
      process.kill(process.pid, signal)
    })
  try {
    const options = readOptions(process.argv.slice(2))
    const results = await runAll(plan(options), options)
    process.exitCode = results.every(({ state }) => state.failures.length === 0) ? 0 : 1
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exitCode = 2
  } finally {
    remove()
  }
}

await main()
