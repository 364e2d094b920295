/**
 * The gateway as a separate process in its own folder, as operators run it. All processes are stopped after the tests.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../../support/until.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
/** The command of this checkout. */
export const ownCommand: readonly string[] = [join(root, 'core', 'cli', 'bin', 'gateway')]

/** An admin key on the terminal. */
export const keyPattern = /\bgw-[A-Za-z0-9]{20,}\b/g

/** An outdated checkout is built first. */
const startLimitMs = 120_000

export interface Folder {
  path: string
  configPath: string
  writeConfig(config: Record<string, unknown> | string): Promise<void>
  remove(): Promise<void>
}

/** A folder with a config file; loopback is trusted, because the tests' providers run there. */
export async function makeFolder(config: Record<string, unknown> | string): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-process-'))
  const configPath = join(path, 'config', 'gateway.yaml')
  await mkdir(join(path, 'config'))
  const writeConfig = (next: Record<string, unknown> | string) => {
    const file = { security: { trusted_hosts: ['127.0.0.0/8'] } }
    return writeFile(configPath, typeof next === 'string' ? next : JSON.stringify({ ...file, ...next }))
  }
  await writeConfig(config)
  return { path, configPath, writeConfig, remove: () => rm(path, { recursive: true, force: true }) }
}

export interface GatewayProcess {
  pid: number
  /** Everything written so far. */
  output: { stdout: string; stderr: string }
  /** Log lines so far. */
  logs(): Record<string, unknown>[]
  signal(name: NodeJS.Signals): void
  /** Stops reading its output, or closes the pipe. */
  leaveOutput(how: 'unread' | 'closed'): void
  /** The code that a shell reports: 128 and the signal's number if a signal killed it. */
  exited: Promise<number>
  hasExited(): boolean
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Runs `gateway start` in the folder. */
export function runGateway(
  folder: Folder,
  args: readonly string[],
  environment: Record<string, string> = {},
): GatewayProcess {
  return run(folder.path, [...ownCommand, 'start', ...args], environment)
}

/** Runs `npm start`, with the folder's config file; signals go to npm. */
export function runNpmStart(
  folder: Folder,
  args: readonly string[],
  environment: Record<string, string> = {},
): GatewayProcess {
  return run(root, ['npm', 'start', '--silent', '--', ...args], {
    GATEWAY_CONFIG: folder.configPath,
    GATEWAY_DATA_DIR: join(folder.path, 'data'),
    npm_config_update_notifier: 'false',
    ...environment,
  })
}

/** Runs a program that logs as the gateway does. */
export function run(
  cwd: string,
  [program = '', ...args]: readonly string[],
  environment: Record<string, string>,
): GatewayProcess {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  let isLeft = false
  child.stdout.on('data', (text) => {
    output.stdout += String(text)
  })
  child.stderr.on('data', (text) => {
    output.stderr += String(text)
  })
  const exited = new Promise<number>((resolve) => {
    // Not `close`, which waits until the output is read.
    child.once('exit', async (code, signal) => {
      if (!isLeft) await once(child, 'close')
      running.delete(child)
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
  return {
    pid: child.pid ?? 0,
    output,
    logs: () => readLines(output.stdout),
    signal: (name) => void child.kill(name),
    leaveOutput(how) {
      isLeft = true
      for (const stream of [child.stdout, child.stderr]) how === 'closed' ? stream.destroy() : stream.pause()
    },
    exited,
    hasExited: () => !running.has(child),
  }
}

/** The whole lines; each must be a JSON object. */
function readLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** The URL on which it listens, once it does. */
export async function listening(gateway: GatewayProcess): Promise<string> {
  const line = await until(
    'the gateway listens',
    () => {
      if (gateway.hasExited()) throw new Error(`The gateway ended: ${gateway.output.stderr}`)
      return gateway.logs().find(({ msg }) => msg === 'listening')
    },
    startLimitMs,
  )
  return String(line.url)
}

/** The admin key that a first start prints, to another stream than the line with its URL: either may be read first. */
export const printedKey = (gateway: GatewayProcess): Promise<string> =>
  until('the gateway prints a key', () => gateway.output.stderr.match(keyPattern)?.[0], startLimitMs)

/** Kills it, and removes its folder. */
export async function discard(
  gateway: GatewayProcess | undefined,
  folder: Folder | undefined,
): Promise<void> {
  if (gateway !== undefined && !gateway.hasExited()) gateway.signal('SIGKILL')
  await gateway?.exited
  await folder?.remove()
}
