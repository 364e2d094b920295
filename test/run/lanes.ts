/**
 * The lanes of the test run: the tests that run together, their number of jobs, and their part. `npm test` runs the
 * quick part, which needs nothing but Node; `npm run test:all` runs the rest as well. Lanes of a track run one after
 * the other. Tracks run in parallel: a lane that waits shares the processor with one that computes.
 */
import { availableParallelism } from 'node:os'
import { logFiles, storeFiles } from './store-files.ts'
import type { TestFile } from './test-files.ts'

export interface Lane {
  name: string
  part: 'quick' | 'rest'
  track: 'compute' | 'wait' | 'checks'
  /** Mocha's test files; absent for a lane that runs a command. */
  takes?: (file: TestFile) => boolean
  jobs?: number
  /** Words of `node`. */
  command?: readonly string[]
  environment?: Readonly<Record<string, string>>
  /** The time of day at which the lane starts by its own clock (UTC), for tests that must hold whenever they run. */
  at?: string
  /** The programs that must be installed; otherwise the lane is left out with a message. */
  needs?: 'postgres' | 'clickhouse' | 'chromium' | 'mcp' | 'node24'
}

const cores = availableParallelism()
/** Some tests wait for a timer or an answer; more processes would load and compile the same code more often. */
const busyJobs = cores + 1

/** Tests that restart, kill or load whole processes for many seconds. */
const drills =
  /^(e2e\/(.*-kills|kill|batch-processes|fleet|limit-burst|undelivered-usage|scripted-day\/.*)|upgrades\/rolling)\.test/

/** Tests that pack and install packages. */
const packages = /^(release\/.*|tutorial\/tutorial)\.test/

/** Tests that try everything of a kind, or measure, for many seconds; few changes break them. */
const sweeps =
  /^(core\/(cache\/agreement-measured|cli\/transfer-files|routing\/(hedge-simulation|replicas)|security\/hostile-names|streaming\/(death|slow-caller))|plugins\/(batches\/cloud-batches|control-plane\/(access|declarative)|dry-run\/agrees|openapi\/(completeness|http|lint)|pii-linear|replays\/shadow|store-sql\/(lists|recorded-vectors|vector-recall)))\.test/

const isDrill = ({ name }: TestFile): boolean => drills.test(name)
const isPackaging = ({ name }: TestFile): boolean => packages.test(name)
const usesBrowser = ({ name, needs }: TestFile): boolean =>
  needs.has('browser') && name !== 'plugins/console/smoke.test.ts'
const usesServer = ({ needs }: TestFile): boolean => needs.has('server')
const startsProcesses = ({ needs }: TestFile): boolean => needs.has('process') || needs.has('browser')
const isSweep = (file: TestFile): boolean => sweeps.test(file.name)
const isApart = (file: TestFile): boolean => isDrill(file) || isPackaging(file) || usesBrowser(file)
const isOfRest = (file: TestFile): boolean => isApart(file) || isSweep(file)
const dependsOnStore = ({ name }: TestFile): boolean => storeFiles.has(name)

/**
 * Tests that depend on Node itself: its internals, the driver of SQLite, the container image, and clients that send
 * forms, read errors and stream through its fetch. Of the tests of a start, those that start processes.
 */
const node24 =
  /^(e2e\/(aimock|openai-(audio|errors|responses))|core\/server\/node\/.*|core\/boot\/(collectable|failed-start)|release\/container-image|conformance\/store-sql|plugins\/store-sql\/(faults|sqlite))\.test\.ts$/
const dependsOnNode = (file: TestFile): boolean =>
  node24.test(file.name) || (file.name.startsWith('core/boot/') && startsProcesses(file))

/** Tests of code that counts by minutes, days and months. */
const countsTime = /^(core\/(counters|metering|store)|plugins\/observability)\//

/** Suites that need a server of another process register themselves in one of the two parts (support/servers.ts). */
export const embedded = { TEST_SERVERS: 'none' }
const withServers = { TEST_SERVERS: 'only' }

export const lanes: readonly Lane[] = [
  { name: 'format and lint', part: 'quick', track: 'checks', command: ['test/dist/run/lint.js'] },
  {
    name: 'unit and HTTP',
    part: 'quick',
    track: 'compute',
    jobs: busyJobs,
    environment: embedded,
    takes: (file) => !isOfRest(file) && !startsProcesses(file) && !dependsOnStore(file),
  },
  {
    name: 'processes',
    part: 'quick',
    track: 'wait',
    jobs: cores,
    environment: embedded,
    takes: (file) => !isOfRest(file) && startsProcesses(file),
  },
  {
    name: 'management on SQLite',
    part: 'quick',
    track: 'wait',
    jobs: cores,
    environment: { ...embedded, TEST_STORE: 'sqlite' },
    takes: dependsOnStore,
  },
  {
    name: 'servers',
    part: 'rest',
    track: 'compute',
    jobs: cores,
    environment: withServers,
    takes: (file) => !isApart(file) && usesServer(file),
  },
  {
    name: 'management in memory',
    part: 'rest',
    track: 'compute',
    jobs: busyJobs,
    environment: embedded,
    takes: dependsOnStore,
  },
  {
    name: 'management on Postgres',
    part: 'rest',
    track: 'compute',
    jobs: cores,
    environment: { TEST_STORE: 'postgres' },
    needs: 'postgres',
    takes: dependsOnStore,
  },
  {
    name: 'close to midnight',
    part: 'rest',
    track: 'wait',
    jobs: cores,
    environment: embedded,
    at: '23:57',
    takes: (file) => countsTime.test(file.name) && !startsProcesses(file),
  },
  {
    name: 'sweeps',
    part: 'rest',
    track: 'compute',
    jobs: cores,
    environment: embedded,
    takes: isSweep,
  },
  { name: 'fuzzing', part: 'rest', track: 'checks', command: ['test/dist/fuzz/run.js'] },
  { name: 'drills', part: 'rest', track: 'wait', jobs: cores, takes: isDrill },
  { name: 'packages', part: 'rest', track: 'wait', jobs: cores, takes: isPackaging },
  { name: 'budgets', part: 'rest', track: 'wait', command: ['test/dist/budgets/main.js'] },
  {
    name: 'logs on ClickHouse',
    part: 'rest',
    track: 'wait',
    jobs: cores,
    needs: 'clickhouse',
    takes: ({ name }) => logFiles.has(name),
  },
  {
    name: 'Node 24',
    part: 'rest',
    track: 'checks',
    jobs: cores,
    needs: 'node24',
    // The drivers of the other stores are the same for each version of Node.
    environment: embedded,
    takes: dependsOnNode,
  },
  {
    name: 'MCP suite',
    part: 'rest',
    track: 'checks',
    needs: 'mcp',
    command: ['test/dist/conformance/mcp/main.js'],
  },
  { name: 'browser', part: 'rest', track: 'checks', jobs: cores, needs: 'chromium', takes: usesBrowser },
]
