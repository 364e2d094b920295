/** `--times`: the processor time of each test file, as the test processes report it (support/root-hooks.ts). */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const shown = 25

export const timesFile = (lane: string): string =>
  join(tmpdir(), `gateway-times-${process.pid}-${lane.replaceAll(' ', '-')}`)

/** Prints the most expensive files of a lane, in seconds without child processes, and removes the file. */
export function printTimes(lane: string): void {
  const file = timesFile(lane)
  if (!existsSync(file)) return
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([seconds, name = '']) => ({ seconds: Number(seconds), name }))
    .sort((one, other) => other.seconds - one.seconds)
  rmSync(file)
  const sum = rows.reduce((total, { seconds }) => total + seconds, 0)
  console.log(`     ${sum.toFixed(0)} s of processor time in ${rows.length} files; the most expensive:`)
  for (const { seconds, name } of rows.slice(0, shown))
    console.log(`     ${seconds.toFixed(1).padStart(6)} s  ${name}`)
}
