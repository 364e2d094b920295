/**
 * A Postgres server that tests start on a free loopback port with a separate directory. As root it runs as the user
 * `postgres`, because it refuses to run as root.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { runsServers } from './servers.ts'

const startLimitMs = 120_000
const password = 'test-password'

export interface PostgresServer {
  port: number
  /** Creates an empty database, and returns its URL. */
  createDatabase(): Promise<string>
  /** Kills it, like a crash: connections are cut. */
  stop(): Promise<void>
  /** Starts it again on the same port, with everything that was committed. */
  start(): Promise<void>
  /** Makes it hang: connections stay, nothing is answered. */
  pause(): void
  resume(): void
  /** Stops it for good. */
  close(): Promise<void>
}

/** Debian has each version in a separate directory, and none on the path. */
const binaryDirectory = findBinaries()

function findBinaries(): string | null {
  const roots = ['/usr/lib/postgresql', '/usr/local/pgsql', '/opt/homebrew/opt/postgresql']
  const found = roots.flatMap((root) => {
    const versions = listDirectory(root).sort((left, right) => Number(right) - Number(left))
    return [join(root, 'bin'), ...versions.map((version) => join(root, version, 'bin'))]
  })
  const onPath = (process.env.PATH ?? '').split(':')
  const isThere = (directory: string) =>
    ['initdb', 'postgres'].every((name) => listDirectory(directory).includes(name))
  return [...onPath, ...found].find(isThere) ?? null
}

function listDirectory(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (error instanceof Error) return []
    throw error
  }
}

/** Whom the server runs as: ourselves, unless we are root. */
const account: { uid?: number; gid?: number } | null = process.getuid?.() === 0 ? findAccount() : {}

function findAccount(): { uid: number; gid: number } | null {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  if (uid?.status !== 0 || gid?.status !== 0) return null
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

/** Whether the binaries are on this machine, and a user may run them. */
export function isPostgresInstalled(): boolean {
  return runsServers && binaryDirectory !== null && account !== null
}

/** A new cluster that the servers of this process copy, because `initdb` takes ten times as long. */
let cluster: Promise<string> | null = null

async function createCluster(): Promise<string> {
  const directory = await createDirectory()
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const passwordFile = join(directory, 'password')
  await writeFile(passwordFile, password)
  giveAway(passwordFile)
  const data = join(directory, 'data')
  const made = spawnSync(
    binaryOf('initdb'),
    [
      '-D',
      data,
      '-U',
      'gateway',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--no-locale',
      '--no-sync',
    ],
    { ...account, cwd: directory, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed:\n${made.stderr}`)
  return data
}

async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-postgres-'))
  giveAway(directory)
  return directory
}

/** Makes the user whom the server runs as the owner. */
function giveAway(path: string): void {
  if (account?.uid !== undefined && account.gid !== undefined) chownSync(path, account.uid, account.gid)
}

/** Starts a server and resolves when it takes connections. */
export async function startPostgres(): Promise<PostgresServer> {
  const port = await freePort()
  const directory = await createDirectory()
  const data = join(directory, 'data')
  cluster ??= createCluster()
  // Much faster than copying the thousand files in this process; owners and rights stay.
  const copied = spawnSync('cp', ['-a', await cluster, data], { encoding: 'utf8' })
  if (copied.status !== 0) throw new Error(`cp failed:\n${copied.stderr}`)

  let server = await run(data, port)
  let databases = 0
  const urlOf = (name: string) => `postgres://gateway:${password}@127.0.0.1:${port}/${name}`

  async function stop(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    signalAll(server, 'SIGCONT')
    server.kill('SIGQUIT')
    await gone
  }

  return {
    port,
    async createDatabase() {
      databases += 1
      const name = `test_${databases}`
      const client = new pg.Client({ connectionString: urlOf('postgres') })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return urlOf(name)
    },
    stop,
    async start() {
      server = await run(data, port)
    },
    pause: () => signalAll(server, 'SIGSTOP'),
    resume: () => signalAll(server, 'SIGCONT'),
    async close() {
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const binaryOf = (name: string) => join(binaryDirectory ?? '', name)

async function run(data: string, port: number): Promise<ChildProcess> {
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '64MB',
    // The server outlives the tests' crashes: nothing is lost that a test could look for.
    fsync: 'off',
    full_page_writes: 'off',
    // Statistics and space of a thousand short-lived databases are of no use.
    autovacuum: 'off',
    max_connections: '100',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(binaryOf('postgres'), ['-D', data, ...flags], {
    ...account,
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const killWithTests = () => server.kill('SIGQUIT')
  process.once('exit', killWithTests)
  server.once('exit', () => process.off('exit', killWithTests))
  await whenReady(server)
  return server
}

async function whenReady(server: ChildProcess): Promise<void> {
  let log = ''
  let isReady = false
  // Data that has arrived is read before an immediate runs: a process that was busy itself must not end a server that
  // is ready.
  const limit = setTimeout(() => setImmediate(() => isReady || server.kill('SIGQUIT')), startLimitMs)
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error(`postgres did not start:\n${log}`)))
    // The output is read until it exits: nothing else drains the pipe.
    server.stderr?.on('data', (chunk) => {
      log = (log + String(chunk)).slice(-10_000)
      isReady ||= log.includes('database system is ready to accept connections')
      if (isReady) resolve()
    })
  }).finally(() => clearTimeout(limit))
}

/** The server and the processes of its connections, which are in no group with it. */
function signalAll(server: ChildProcess, signal: NodeJS.Signals): void {
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
  const pids = children.split(' ').filter(Boolean).map(Number)
  for (const pid of [...pids, server.pid ?? 0].filter((one) => one > 1)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      // A connection may have ended since it was listed.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
