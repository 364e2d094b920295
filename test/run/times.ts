/** `--times`: the processor time of each test file, as the test processes report it (support/file-times.ts). */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const shown = 25

export const timesFile = (lane: string): string =>
  join(tmpdir(), `gateway-times-${process.pid}-${lane.replaceAll(' ', '-')}`)

/** Prints the most expensive files of a lane, in seconds, and removes the file. */
export function printTimes(lane: string): void {
  const file = timesFile(lane)
  if (!existsSync(file)) return
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([own, children, name = '']) => ({ own: Number(own), children: Number(children), name }))
    .sort((one, other) => other.own + other.children - one.own - one.children)
  rmSync(file)
  const sum = rows.reduce((total, { own, children }) => total + own + children, 0)
  console.log(`     ${sum.toFixed(0)} s of processor time in ${rows.length} files; the most expensive:`)
  for (const { own, children, name } of rows.slice(0, shown)) {
    const part = children < 0.05 ? '' : `, ${children.toFixed(1)} s of it in other processes`
    console.log(`     ${(own + children).toFixed(1).padStart(6)} s  ${name}${part}`)
  }
}
