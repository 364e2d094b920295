/** A Redis server that tests start on a free loopback port with a separate directory. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { runsServers } from './servers.ts'

const binary = 'redis-server'
const startLimitMs = 120_000

export interface RedisServer {
  url: string
  port: number
  /** Kills it, like a crash. */
  stop(): Promise<void>
  /** Makes it hang: connections stay, nothing is answered. */
  pause(): void
  resume(): void
}

export interface RedisServerOptions {
  /** The port of an earlier server to start again there. Default: any free port. */
  port?: number
  password?: string
}

/** Whether the binary is on this machine. */
export function isRedisInstalled(): boolean {
  return runsServers && spawnSync(binary, ['--version']).status === 0
}

/** Starts a server and resolves when it takes connections. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const port = options.port ?? (await freePort())
  const directory = await mkdtemp(join(tmpdir(), 'gateway-redis-'))
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: directory,
    save: '',
    appendonly: 'no',
    ...(options.password === undefined ? {} : { requirepass: options.password }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const server = spawn(binary, flags, { stdio: ['ignore', 'pipe', 'ignore'] })
  const killWithTests = () => server.kill('SIGKILL')
  process.once('exit', killWithTests)
  await whenReady(server)
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    async stop() {
      process.off('exit', killWithTests)
      const gone = server.exitCode === null && server.signalCode === null ? once(server, 'exit') : undefined
      server.kill('SIGKILL')
      await gone
      await rm(directory, { recursive: true, force: true })
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
  }
}

async function whenReady(server: ChildProcess): Promise<void> {
  let log = ''
  const isReady = () => log.includes('Ready to accept connections')
  // Data that has arrived is read before an immediate runs: a process that was busy itself must not end a server that
  // is ready.
  const limit = setTimeout(() => setImmediate(() => isReady() || server.kill('SIGKILL')), startLimitMs)
  for await (const chunk of server.stdout ?? []) {
    log += String(chunk)
    if (isReady()) break
  }
  clearTimeout(limit)
  if (!isReady()) throw new Error(`${binary} did not start:\n${log}`)
}
