/**
 * Starts the processes of the bench and stops them, always by process id: in order at the end, on a
 * signal, and as a last resort when this process exits.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processTree } from './usage.ts'

const STOP_LIMIT_MS = 4_000
const POLL_MS = 5

export interface ChildOptions {
  name: string
  /** The command. Default: node, with the script and its arguments. */
  command?: string
  args: readonly string[]
  /** The cores that it is pinned to; null: not pinned. */
  cores: readonly number[] | null
  env?: Readonly<Record<string, string>>
  /** Opens a channel for messages. */
  channel?: boolean
}

export interface Child {
  name: string
  pid: number
  process: ChildProcess
  /** `performance.now()` just before the start. */
  startedAt: number
  logFile: string
}

const running = new Set<Child>()
let directory: string | null = null
let started = 0

/** A separate folder in the system's temporary folder; {@link stopAll} removes it. */
export function workFolder(): string {
  directory ??= mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  return directory
}

/** Starts node, or another command, with its output in a file; throws when it cannot be started. */
export function startChild(options: ChildOptions): Child {
  started += 1
  const logFile = join(workFolder(), `${options.name}-${started}.log`)
  const log = openSync(logFile, 'w')
  const pinned = options.cores === null ? [] : ['taskset', '-c', options.cores.join(',')]
  const { command: own = process.execPath } = options
  const [command = own, ...args] = [...pinned, own, ...options.args]
  const startedAt = performance.now()
  const child = spawn(command, args, {
    env: { ...baseEnvironment(), ...options.env },
    stdio: options.channel === true ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
    serialization: 'advanced',
  })
  closeSync(log)
  if (child.pid === undefined) throw new Error(`${options.name} could not be started`)
  const entry = { name: options.name, pid: child.pid, process: child, startedAt, logFile }
  running.add(entry)
  return entry
}

/** Stops the child and its descendants, first gracefully, then forcibly. */
export async function stopChild(child: Child): Promise<void> {
  const tree = processTree(child.pid)
  signal(child.pid, 'SIGTERM')
  const deadline = performance.now() + STOP_LIMIT_MS
  while (!hasEnded(child) && performance.now() < deadline) await sleep(POLL_MS)
  const left = hasEnded(child) ? tree.slice(1) : tree
  for (const pid of left) signal(pid, 'SIGKILL')
  running.delete(child)
  rmSync(child.logFile, { force: true })
}

/** Stops everything that still runs, and removes the work folder. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stopChild))
  removeFolder()
}

process.on('exit', () => {
  for (const child of running) for (const pid of processTree(child.pid)) signal(pid, 'SIGKILL')
  removeFolder()
})

/** The environment without a developer's gateway settings, with every server in production mode. */
function baseEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GATEWAY_'))
  return { ...Object.fromEntries(kept), NODE_ENV: 'production' }
}

/** Whether the process is gone. */
export function hasEnded(child: Child): boolean {
  return child.process.exitCode !== null || child.process.signalCode !== null
}

/** The process may have ended meanwhile, which is fine. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

function removeFolder(): void {
  if (directory !== null) rmSync(directory, { recursive: true, force: true })
  directory = null
}
