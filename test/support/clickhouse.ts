/**
 * A ClickHouse for tests: the engine of the npm package `chdb`, in a separate process that tests may kill. The package
 * has 540 MB, so it is in no manifest: `npm install --no-save --ignore-scripts chdb` adds it, as `.ci/run` does.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'
import { runsServers } from './servers.ts'

export const clickHousePackage = 'chdb'
export const clickHousePassword = 'test-password'
const startLimitMs = 120_000

export interface ClickHouseServer {
  /** The URL of an empty database, which is made when it is first used. Batches are not held back. */
  createDatabase(parameters?: Record<string, string>): string
  /** The answer to a query in the database of a URL, as a text. */
  ask(url: string, query: string): Promise<string>
  /** Kills it, like a crash. */
  stop(): Promise<void>
  /** Starts it again on the same port, with its data on disk. */
  start(): Promise<void>
  /** Stops it for good. */
  close(): Promise<void>
}

/** Whether the package is installed, with a library for this machine; does not load it. */
export function isClickHouseInstalled(): boolean {
  if (!runsServers) return false
  const library = `@chdb/lib-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`
  const require = createRequire(import.meta.url)
  return [clickHousePackage, library].every((name) =>
    (require.resolve.paths(name) ?? []).some((directory) => existsSync(join(directory, name))),
  )
}

export async function startClickHouse(): Promise<ClickHouseServer> {
  const port = await freePort()
  const directory = await mkdtemp(join(tmpdir(), 'gateway-clickhouse-'))
  let server = await run(join(directory, 'data'), port)
  let databases = 0

  const isRunning = () => server.exitCode === null && server.signalCode === null

  async function ask(url: string, query: string): Promise<string> {
    const parameters = new URLSearchParams({ database: new URL(url).pathname.slice(1), query })
    const response = await fetch(`http://127.0.0.1:${port}/?${parameters}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`default:${clickHousePassword}`).toString('base64')}` },
    })
    return response.text()
  }

  async function stop(): Promise<void> {
    if (!isRunning()) return
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
  }

  return {
    createDatabase(parameters = { batch_ms: '0' }) {
      databases += 1
      const name = `test_${process.pid}_${databases}`
      const query = new URLSearchParams(parameters)
      return `clickhouse://default:${clickHousePassword}@127.0.0.1:${port}/${name}?${query}`
    },
    ask,
    stop,
    async start() {
      if (isRunning()) return
      server = await run(join(directory, 'data'), port)
    },
    async close() {
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function run(directory: string, port: number): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./clickhouse-server.js', import.meta.url))
  const server = spawn(process.execPath, [script, directory, String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const killWithTests = () => server.kill('SIGKILL')
  process.once('exit', killWithTests)
  server.once('exit', () => process.off('exit', killWithTests))
  let output = ''
  const isReady = () => output.includes('ready')
  // Data that has arrived is read before an immediate runs: a process that was busy itself must not end a server that
  // is ready.
  const limit = setTimeout(() => setImmediate(() => isReady() || killWithTests()), startLimitMs)
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error(`ClickHouse did not start:\n${output}`)))
    // The output is read until it exits: nothing else drains the pipes.
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (chunk) => {
        output = (output + String(chunk)).slice(-10_000)
        if (isReady()) resolve()
      })
  }).finally(() => clearTimeout(limit))
  return server
}
