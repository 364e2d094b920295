/** The output of the test run: progress, a line for each lane, and the failures with the command that repeats each. */
import type { Failure, LaneState } from './run-lane.ts'

export interface LaneResult {
  name: string
  fileCount: number
  /** `TEST_STORE` of the lane, which the repeating command names. */
  store: string | undefined
  /** The time of day at which it started by its own clock, which the repeating command names as well. */
  at?: string | undefined
  state: LaneState
}

const isTerminal = process.stdout.isTTY === true

/** Formats a time, such as 1:05. */
export function formatElapsed(elapsedMs: number): string {
  const seconds = Math.round(elapsedMs / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const countOf = (count: number): string => count.toLocaleString('en-US')

/** Redraws one line on a terminal; prints nothing in a pipe. */
export function showProgress(running: readonly LaneResult[], elapsedMs: number): void {
  if (!isTerminal) return
  const lanes = running.map(({ name, fileCount, state }) =>
    fileCount === 0 ? name : `${name} ${state.filesDone}/${fileCount}`,
  )
  const failed = running.reduce((sum, { state }) => sum + state.failures.length, 0)
  const line = `${formatElapsed(elapsedMs)}  ${lanes.join(' · ')}${failed > 0 ? `  ${failed} failed` : ''}`
  process.stdout.write(`\r\u001b[K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`)
}

function printLine(text: string): void {
  if (isTerminal) process.stdout.write('\r\u001b[K')
  console.log(text)
}

export function printLane({ name, fileCount, state }: LaneResult): void {
  const { passed, failures, elapsedMs, leftOut } = state
  const files = fileCount === 0 ? '' : ` in ${countOf(fileCount)} files`
  printLine(
    `${failures.length === 0 ? 'ok  ' : 'FAIL'} ${name}: ${countOf(passed)} passed, ${failures.length} failed${files}, ${formatElapsed(elapsedMs)}`,
  )
  for (const message of new Set(leftOut)) printLine(`     ${message}`)
}

/** Prints every failure again, and the sums as the last line. */
export function printSummary(results: readonly LaneResult[], elapsedMs: number): void {
  const failures = results.flatMap((result) => result.state.failures.map((failure) => ({ result, failure })))
  failures.forEach(({ result, failure }, index) => {
    const indented = failure.text.trimEnd().split('\n').join('\n   ')
    const command = failure.file === undefined ? '' : `\n   Repeat: ${repeatCommand(failure, result)}`
    printLine(`\n${index + 1}) ${failure.title}\n   ${indented}${command}`)
  })
  const passed = results.reduce((sum, { state }) => sum + state.passed, 0)
  printLine(`\n${formatElapsed(elapsedMs)} in all`)
  printLine(`${passed} passed, ${failures.length} failed`)
}

/** The command that runs only this test, with the input that failed if it is a property. */
export function repeatCommand(
  { file, title, text }: Failure,
  { store, at }: Partial<Pick<LaneResult, 'store' | 'at'>> = {},
): string {
  const [, seed] = /\bseed: (-?\d+)/.exec(text) ?? []
  const [, path] = /\bpath: "([^"]+)"/.exec(text) ?? []
  const words = ['npm test --', `test/${file}`, '--grep', quote(title)]
  if (store !== undefined) words.push('--store', store)
  if (at !== undefined) words.push('--at', at)
  if (seed !== undefined) words.push(`--seed=${seed}`)
  if (path !== undefined && seed !== undefined) words.push('--path', path)
  return words.join(' ')
}

/**
 * The pattern, quoted for a shell. Names of hooks contain the title of their test, which the search must not contain.
 */
function quote(title: string): string {
  const test = title.replace(/ "(before|after)( each| all)" hook.*$/, '')
  return `'${test.replaceAll("'", `'\\''`)}'`
}
