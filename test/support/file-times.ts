/** Appends the processor time of each test file to `TEST_TIMES_FILE`, for `npm test -- --times`. */
import { appendFileSync } from 'node:fs'
import type { Suite } from 'mocha'

let beforeMs = 0

/** @param suite the root suite of a file that has ended; loading the file counts as well */
export function recordTime(suite: Suite | undefined): void {
  const target = process.env.TEST_TIMES_FILE
  if (target === undefined) return
  const { user, system } = process.cpuUsage()
  const nowMs = (user + system) / 1000
  const file = suite?.suites[0]?.file ?? '?'
  const name = file.replace(/.*[\\/]test[\\/]dist[\\/]/, '').replace(/\.js$/, '.ts')
  appendFileSync(target, `${((nowMs - beforeMs) / 1000).toFixed(2)} ${name}\n`)
  beforeMs = nowMs
}
