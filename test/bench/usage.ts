/**
 * Processor time and memory of processes and cores, read from Linux' /proc; NaN on other systems. A server includes its
 * descendants, such as workers.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** The kernel reports processor time in hundredths of a second, independent of its own clock. */
const MS_PER_TICK = 10
const BYTES_PER_KB = 1024

/** Processor time of a process and those below it, in milliseconds. */
export function cpuMs(pid: number): number {
  return sum(
    processTree(pid)
      .map((id) => fields(id))
      .map(([, user = 0, system = 0]) => user + system),
  )
}

/** Resident memory of a process and those below it, in bytes. */
export function residentBytes(pid: number): number {
  return sum(processTree(pid).map(residentOf))
}

/** The most resident memory of a process and those below it, from now on. */
export function watchPeak(pid: number): { read(): number; stop(): number } {
  let most = 0
  const look = () => {
    most = Math.max(most, residentBytes(pid))
  }
  const timer = setInterval(look, 20)
  look()
  return {
    read: () => most,
    stop() {
      clearInterval(timer)
      look()
      return most
    },
  }
}

/** Time for which each core has been busy since the machine started, in milliseconds, by core number. */
export function busyMsByCore(): Map<number, number> {
  const busy = new Map<number, number>()
  for (const [, core, times = ''] of read('/proc/stat').matchAll(/^cpu(\d+) (.*)$/gm)) {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = times.split(' ').map(Number)
    busy.set(Number(core), (user + nice + system + irq + softirq + steal) * MS_PER_TICK)
  }
  return busy
}

/** The process and those below it. */
export function processTree(root: number): number[] {
  const found = [root]
  const parents = allParents()
  for (const id of found) {
    for (const [child, parent] of parents) if (parent === id) found.push(child)
  }
  return found
}

function allParents(): Map<number, number> {
  const parents = new Map<number, number>()
  for (const name of list('/proc')) {
    const id = Number(name)
    if (Number.isInteger(id)) parents.set(id, fields(id)[0] ?? 0)
  }
  return parents
}

/** Parent, user and system time in milliseconds; empty when the process is gone. */
function fields(pid: number): number[] {
  const text = read(`/proc/${pid}/stat`)
  if (text === '') return []
  // The name in parentheses can contain spaces and parentheses.
  const rest = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return [Number(rest[1]), Number(rest[11]) * MS_PER_TICK, Number(rest[12]) * MS_PER_TICK]
}

function residentOf(pid: number): number {
  const kilobytes = /^VmRSS:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return kilobytes === undefined ? Number.NaN : Number(kilobytes) * BYTES_PER_KB
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** A process can end between listing and reading; then it counts as nothing. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
