/** A thread with one SQLite file: it opens and migrates the file, then answers calls. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { createLogPart, createMainPart, type LogPart, type MainPart } from './parts.ts'
import { openSqlite } from './sqlite-database.ts'
import { startUpkeep } from './upkeep.ts'
import { type Call, type Reply, toPlainError, type WorkerOptions } from './worker-messages.ts'

type Methods = Record<string, ((...given: unknown[]) => Promise<unknown>) | undefined>

const { path, part } = workerData as WorkerOptions
let replies: Reply[] = []

/** In the order in which they came about, so that changes are heard before the commit that made them resolves. */
function send(reply: Reply): void {
  if (replies.push(reply) > 1) return
  setImmediate(() => {
    const sent = replies
    replies = []
    parentPort?.postMessage(sent)
  })
}

async function open(): Promise<{ database: Database; parts: MainPart | LogPart }> {
  const database = openSqlite(path, { isDurable: part === 'main' })
  await migrate(
    database,
    migrations.filter((migration) => migration.part === part),
  )
  if (part === 'log') return { database, parts: createLogPart(database) }
  const parts = createMainPart(database)
  await parts.documents.poll()
  parts.documents.watch((changes) => send({ type: 'changes', changes }))
  return { database, parts }
}

async function serve(): Promise<void> {
  const { database, parts } = await open()
  const stopUpkeep = startUpkeep(parts.health, (error) => send({ type: 'fault', error: toPlainError(error) }))

  async function close(): Promise<void> {
    stopUpkeep()
    await database.close()
  }

  async function answer({ id, port, method, given }: Call): Promise<void> {
    try {
      const methods = { ...parts, thread: { close } } as unknown as Record<string, Methods | undefined>
      const found = methods[port]?.[method]
      if (found === undefined) throw new TypeError(`There is no ${port}.${method} here.`)
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

serve().catch((error: unknown) => send({ type: 'fault', error: toPlainError(error) }))
