/**
 * The SQLite thread: opens and migrates both files, then answers calls. One thread serves both, because each thread
 * loads the query builder separately; batches of the log are short, and no request waits for them.
 */
import { getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { Database } from './database.ts'
import { migrateFiles, type Part } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { createLogPart, createMainPart, type Health, type LogPart, type MainPart } from './parts.ts'
import { limitWaits, openSqlite } from './sqlite-database.ts'
import { startUpkeep } from './upkeep.ts'
import {
  type Call,
  type Confirmation,
  fromPlainError,
  type Reply,
  toPlainError,
  type WorkerOptions,
} from './worker-messages.ts'

type Methods = Record<string, ((...given: unknown[]) => Promise<unknown>) | undefined>

const { mainPath, logPath } = workerData as WorkerOptions
let replies: Reply[] = []

/** Sent in order, so that changes are reported before the commit that made them resolves. */
function send(reply: Reply): void {
  if (replies.push(reply) > 1) return
  setImmediate(() => {
    const sent = replies
    replies = []
    parentPort?.postMessage(sent)
  })
}

/** Opens both files and migrates them together. */
async function openFiles(): Promise<Record<Part, Database>> {
  const opened: Database[] = []
  function openFile(path: string, isDurable: boolean): Database {
    const database = openSqlite(path, { isDurable })
    opened.push(database)
    return database
  }
  try {
    const files = { main: openFile(mainPath, true), log: openFile(logPath, false) }
    // Sent immediately, because this thread does nothing else until the migration ends.
    await migrateFiles(files, migrations, {
      progress: (title, done, total) => parentPort?.postMessage([{ type: 'progress', title, done, total }]),
      confirmMigration: askForConfirmation,
    })
    for (const database of opened) await limitWaits(database)
    return files
  } catch (error) {
    for (const database of opened) await database.close()
    throw error
  }
}

function askForConfirmation(): Promise<void> {
  return new Promise((resolve, reject) => {
    parentPort?.once('message', ({ fault }: Confirmation) =>
      fault === null ? resolve() : reject(fromPlainError(fault)),
    )
    parentPort?.postMessage([{ type: 'confirm' }])
  })
}

async function open(): Promise<{ databases: Database[]; parts: MainPart & LogPart }> {
  const files = await openFiles()
  const main = createMainPart(files.main)
  const log = createLogPart(files.log)
  await main.documents.poll()
  main.documents.watch((changes) => send({ type: 'changes', changes }))
  return {
    databases: [files.main, files.log],
    parts: { ...main, ...log, health: both(main.health, log.health) },
  }
}

const both = (one: Health, other: Health): Health => ({
  async ping() {
    await one.ping()
    await other.ping()
  },
  async look() {
    await one.look()
    await other.look()
  },
  async sweep() {
    await one.sweep()
    await other.sweep()
  },
})

/** Higher than that of the main thread, which answers requests and has priority when both share a core. */
const extraNiceness = 5
const highestNiceness = 19

/** On Linux each thread has its own priority; elsewhere the process has one, which stays unchanged. */
function yieldToRequests(): void {
  if (process.platform !== 'linux') return
  setPriority(0, Math.min(getPriority(0) + extraNiceness, highestNiceness))
}

async function serve(): Promise<void> {
  const { databases, parts } = await open()
  const stopUpkeep = startUpkeep(parts.health, (error) => send({ type: 'fault', error: toPlainError(error) }))

  async function close(): Promise<void> {
    stopUpkeep()
    await parts.vectors.close()
    for (const database of databases) await database.close()
  }

  async function answer({ id, port, method, given }: Call): Promise<void> {
    try {
      // A message contains the names of a part and its method; unknown names are refused.
      const methods = { ...parts, thread: { close } } as unknown as Record<string, Methods | undefined>
      const found = methods[port]?.[method]
      if (found === undefined) throw new TypeError(`The store thread has no method ${port}.${method}.`)
      send({ type: 'value', id, value: await found(...given) })
    } catch (error) {
      send({ type: 'error', id, error: toPlainError(error) })
    }
  }

  parentPort?.on('message', (calls: Call[]) => {
    for (const call of calls) void answer(call)
  })
  send({ type: 'open' })
}

yieldToRequests()
serve().catch((error: unknown) => send({ type: 'fault', error: toPlainError(error) }))
