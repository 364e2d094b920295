/**
 * The machine of the measurements, and the cores that the processes are pinned to. Pinning uses `taskset` (util-linux);
 * without it, or with a single core, nothing is pinned.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'

export interface Machine {
  date: string
  cpu: string
  /** The cores this process may use. */
  cores: readonly number[]
  memoryGb: number
  node: string
  system: string
  /** The cores of each process; null if nothing is pinned. */
  pins: Pins | null
}

/** Cores by role. */
interface Pins {
  server: readonly number[]
  /** The cores of a server with two workers. */
  workers: readonly number[]
  load: readonly number[]
  mock: readonly number[]
}

/** Looks at the machine; `date` in ISO 8601. */
export function describeMachine(now: Date): Machine {
  const cores = allowedCores()
  return {
    date: now.toISOString(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    system: `${process.platform} ${release()}`,
    pins: hasTaskset() ? choosePins(cores) : null,
  }
}

/** Server first, load generator second; the mock gets a third core when there is one. */
function choosePins(cores: readonly number[]): Pins | null {
  const [first, second, third, fourth] = cores
  if (first === undefined || second === undefined) return null
  const load = third === undefined ? second : third
  return {
    server: [first],
    workers: [first, second],
    load: [load],
    mock: [fourth ?? second],
  }
}

function hasTaskset(): boolean {
  return spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0
}

/** The kernel's list of allowed cores, such as `0-1,4`; all cores where there is no such list. */
function allowedCores(): number[] {
  const listed = /^Cpus_allowed_list:\s*(\S+)/m.exec(readText('/proc/self/status'))?.[1]
  if (listed === undefined) return cpus().map((_, index) => index)
  return listed.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
