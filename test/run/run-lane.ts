/** Runs one lane in a child process and reports each result as it comes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { type Result, resultPrefix } from './json-reporter.ts'

export interface Failure {
  /** Below `test/`; absent if the lane as a whole failed. */
  file?: string
  title: string
  /** The message and the stack. */
  text: string
}

export interface LaneRun {
  name: string
  /** Words of `node`. */
  words: readonly string[]
  /** Test files, as built; empty for a command, whose summary is read. */
  files: readonly string[]
  environment: Readonly<Record<string, string>>
  /** The executable of Node. */
  node: string
}

export interface LaneState {
  passed: number
  failures: Failure[]
  /** Files with at least one result. */
  filesDone: number
  elapsedMs: number
  /** Messages of suites that were left out, and why. */
  leftOut: string[]
}

/** The number of shown output lines of a lane that breaks. */
const keptLines = 200
const serverNames = /Postgres|Redis|redis-server|ClickHouse|chdb/
const tests = fileURLToPath(new URL('..', import.meta.url))
const running = new Set<ChildProcess>()

/** Ends the processes of all running lanes: a signal to the run reaches only the run itself. */
export function stopLanes(): void {
  for (const child of running) child.kill()
}

/** Resolves when the process has ended. @param onProgress is called after each change of the state */
export async function runLane(run: LaneRun, onProgress: (state: LaneState) => void): Promise<LaneState> {
  const startedAt = performance.now()
  const state: LaneState = { passed: 0, failures: [], filesDone: 0, elapsedMs: 0, leftOut: [] }
  const files = new Set<string>()
  const other: string[] = []
  const child = spawn(run.node, [...run.words, ...run.files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...run.environment, FORCE_COLOR: '0' },
  })
  running.add(child)
  const read = (line: string) => {
    if (line.startsWith(resultPrefix)) add(JSON.parse(line.slice(resultPrefix.length)))
    else keep(line)
    state.elapsedMs = performance.now() - startedAt
    onProgress(state)
  }
  function add(result: Result): void {
    if (result.kind === 'pass') state.passed += 1
    else state.failures.push(failureOf(result))
    files.add(result.file)
    state.filesDone = files.size
  }
  function keep(line: string): void {
    const plain = stripVTControlCharacters(line).trimEnd()
    if (/^\s*left out: /.test(plain)) {
      // Suites that the quick part leaves out on purpose are not listed one by one.
      if (run.environment.TEST_SERVERS !== 'none' || !serverNames.test(plain))
        state.leftOut.push(plain.trim())
    } else if (plain !== '') other.push(plain)
    if (other.length > keptLines) other.shift()
  }
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', read)
  const [code, signal] = await once(child, 'close')
  running.delete(child)
  state.elapsedMs = performance.now() - startedAt
  if (run.files.length === 0) addSummary(state, other)
  if (code !== 0 && state.failures.length === 0) {
    const title = `${run.name} ended with ${signal ?? `exit code ${code}`}`
    state.failures.push({ title, text: other.join('\n') })
  }
  if (code === 0 && state.passed === 0 && run.files.length > 0)
    state.failures.push({ title: `${run.name} ran no test`, text: other.join('\n') })
  return state
}

const failureOf = ({ title, file, text = '' }: Result): Failure => ({
  title,
  file: file.startsWith(tests) ? file.slice(tests.length).replace(/\.js$/, '.ts') : file,
  text,
})

/** The counts at the end of a command's output: `  12 passing` and `  1 failing`. */
function addSummary(state: LaneState, lines: readonly string[]): void {
  const count = (word: string) =>
    Number(lines.findLast((line) => new RegExp(`^\\s+\\d+ ${word}`).test(line))?.match(/\d+/)?.[0] ?? 0)
  state.passed = count('passing')
  const failed = count('failing')
  if (failed > 0) state.failures.push({ title: `${failed} findings`, text: lines.join('\n') })
}
