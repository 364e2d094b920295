/** Opens and migrates the two SQLite files, then answers the calls that arrive at a port. */
import type { MessagePort } from 'node:worker_threads'
import type { Database } from './database.ts'
import type { Part } from './migrate.ts'
import { createLogPart, createMainPart, type Health } from './parts.ts'
import { limitWaits, openSqlite } from './sqlite-database.ts'
import { upgradeFiles } from './upgrade.ts'
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
type Files = Record<Part, Database>

/** Replies to `port` until the call `thread.close`; an error while opening is the first and only reply. */
export function serveFiles(port: MessagePort, options: WorkerOptions): void {
  const send = sendInTurns(port)
  serve(port, options, send).catch((error: unknown) => send({ type: 'fault', error: toPlainError(error) }))
}

async function serve(port: MessagePort, options: WorkerOptions, send: (reply: Reply) => void): Promise<void> {
  const files = await openFiles(port, options)
  const main = createMainPart(files.main)
  const log = createLogPart(files.log)
  await main.documents.poll()
  main.documents.watch((changes) => send({ type: 'changes', changes }))
  const parts = { ...main, ...log, health: both(main.health, log.health) }
  const stopUpkeep = startUpkeep(parts.health, (error) => send({ type: 'fault', error: toPlainError(error) }))

  async function close(): Promise<void> {
    stopUpkeep()
    await parts.vectors.close()
    for (const database of [files.main, files.log]) await database.close()
  }

  // A message contains the names of a part and its method; unknown names are refused.
  const methods = { ...parts, thread: { close } } as unknown as Record<string, Methods | undefined>

  async function answer({ id, port: part, method, given }: Call): Promise<void> {
    try {
      const found = methods[part]?.[method]
      if (found === undefined) throw new TypeError(`The store thread has no method ${part}.${method}.`)
      send({ type: 'value', id, value: await found(...given) })
    } catch (error) {
      send({ type: 'error', id, error: toPlainError(error) })
    }
  }

  port.on('message', (calls: Call[]) => {
    for (const call of calls) void answer(call)
  })
  send({ type: 'open' })
}

/** Sends in order, so that changes are reported before the commit that made them resolves; one message a turn. */
function sendInTurns(port: MessagePort): (reply: Reply) => void {
  let replies: Reply[] = []
  return (reply) => {
    if (replies.push(reply) > 1) return
    setImmediate(() => {
      const sent = replies
      replies = []
      port.postMessage(sent)
    })
  }
}

/** Opens both files and migrates them together. */
async function openFiles(port: MessagePort, { mainPath, logPath }: WorkerOptions): Promise<Files> {
  const opened: Database[] = []
  function openFile(path: string, isDurable: boolean): Database {
    const database = openSqlite(path, { isDurable })
    opened.push(database)
    return database
  }
  try {
    const files = { main: openFile(mainPath, true), log: openFile(logPath, false) }
    // Sent immediately, because this thread does nothing else until the migration ends.
    await upgradeFiles(files, {
      progress: (title, done, total) => port.postMessage([{ type: 'progress', title, done, total }]),
      confirmMigration: () => askForConfirmation(port),
    })
    for (const database of opened) await limitWaits(database)
    return files
  } catch (error) {
    for (const database of opened) await database.close()
    throw error
  }
}

function askForConfirmation(port: MessagePort): Promise<void> {
  return new Promise((resolve, reject) => {
    port.once('message', ({ fault }: Confirmation) =>
      fault === null ? resolve() : reject(fromPlainError(fault)),
    )
    port.postMessage([{ type: 'confirm' }])
  })
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
