/** Appends the processor time of each test file to `TEST_TIMES_FILE`, for `npm test -- --times`. */
import { appendFileSync, readFileSync } from 'node:fs'
import type { Suite } from 'mocha'

let before = { ownMs: 0, childrenMs: 0 }

/** @param suite the root suite of a file that has ended; loading the file counts as well */
export function recordTime(suite: Suite | undefined): void {
  const target = process.env.TEST_TIMES_FILE
  if (target === undefined) return
  const { user, system } = process.cpuUsage()
  const now = { ownMs: (user + system) / 1000, childrenMs: timeOfChildren() }
  const file = suite?.suites[0]?.file ?? '?'
  const name = file.replace(/.*[\\/]test[\\/]dist[\\/]/, '').replace(/\.js$/, '.ts')
  const [own, children] = [now.ownMs - before.ownMs, now.childrenMs - before.childrenMs].map(
    (ms) => ms / 1000,
  )
  appendFileSync(target, `${own?.toFixed(2)} ${children?.toFixed(2)} ${name}\n`)
  before = now
}

/** The system counts 100 ticks a second on every Linux. */
const tickMs = 10

/** Milliseconds of the child processes that have ended, and of theirs; 0 where the system does not say. */
function timeOfChildren(): number {
  if (process.platform !== 'linux') return 0
  // The name of the program, in parentheses, may contain spaces. `proc(5)`: cutime and cstime are fields 16 and 17.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * tickMs
}
