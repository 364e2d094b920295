/**
 * The client of the SQLite thread: provides its parts as if they were local. Calls of one turn are sent together.
 * Errors: those of the part; `store_unavailable` once the thread has ended.
 */
import { Worker } from 'node:worker_threads'
import type { DocumentChange, GatewayError, StoreOptions } from '@gateway/contract'
import { toStoreError } from './guard.ts'
import type { LogPart, MainPart } from './parts.ts'
import {
  type Call,
  type Confirmation,
  fromPlainError,
  type Reply,
  toPlainError,
  type WorkerOptions,
} from './worker-messages.ts'

export interface WorkerClient {
  parts: MainPart & LogPart
  watch(listener: (changes: readonly DocumentChange[]) => void): () => void
  close(): Promise<void>
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A thread that waits for its files, or will once it is loaded. */
let prepared: Worker | null = null

/**
 * Starts a thread for the next store, which then opens in a third of the time. If no store follows, the process may end
 * once the thread is loaded: ending it while it loads SQLite's binary would abort the process.
 */
export function prepareWorker(): void {
  if (prepared !== null) return
  const worker = createWorker(null)
  worker.once('message', () => {
    if (prepared === worker) worker.unref()
  })
  // The next store starts another thread, and reports its error.
  worker.on('error', () => {
    if (prepared === worker) prepared = null
  })
  prepared = worker
}

/** @param options null: the first message to the thread contains them */
function createWorker(options: WorkerOptions | null): Worker {
  return new Worker(new URL('./worker.js', import.meta.url), {
    workerData: options,
    name: 'store',
    // One turn of the log may fill a third of it before its values are copied.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  })
}

function takeWorker(options: WorkerOptions): Worker {
  const worker = prepared
  if (worker === null) return createWorker(options)
  prepared = null
  worker.ref()
  worker.postMessage(options)
  return worker
}

/** Starts the thread, and resolves when its files are open and migrated. */
export async function startWorker(
  options: WorkerOptions,
  { report, progress, confirmMigration }: Pick<StoreOptions, 'report' | 'progress' | 'confirmMigration'>,
): Promise<WorkerClient> {
  const worker = takeWorker(options)
  const waiting = new Map<number, Waiting>()
  const listeners = new Set<(changes: readonly DocumentChange[]) => void>()
  let calls: Call[] = []
  let lastId = 0
  let ended: Error | null = null

  function send(): void {
    const sent = calls
    calls = []
    try {
      worker.postMessage(sent)
    } catch (error) {
      // The value that cannot be cloned belongs to one of the calls, but none was sent.
      for (const { id } of sent) settle(id)?.reject(error)
    }
  }

  function settle(id: number): Waiting | undefined {
    const found = waiting.get(id)
    waiting.delete(id)
    // An idle thread must not keep the process alive.
    if (waiting.size === 0) worker.unref()
    return found
  }

  function call(port: string, method: string, given: unknown[]): Promise<unknown> {
    if (ended !== null) return Promise.reject(unavailable(ended))
    return new Promise((resolve, reject) => {
      const id = ++lastId
      if (waiting.size === 0) worker.ref()
      waiting.set(id, { resolve, reject })
      if (calls.push({ id, port, method, given }) === 1) setImmediate(send)
    })
  }

  function end(error: Error): void {
    if (ended === null) report('the store thread exited', error)
    ended ??= error
    for (const id of [...waiting.keys()]) settle(id)?.reject(unavailable(error))
  }

  function receive(reply: Reply): void {
    if (reply.type === 'value') settle(reply.id)?.resolve(reply.value)
    else if (reply.type === 'error') settle(reply.id)?.reject(fromPlainError(reply.error))
    else if (reply.type === 'changes') for (const listener of [...listeners]) listener(reply.changes)
    else if (reply.type === 'fault') report('store maintenance failed', fromPlainError(reply.error))
  }

  async function confirm(): Promise<void> {
    const answer = (fault: Confirmation['fault']) => worker.postMessage({ fault } satisfies Confirmation)
    try {
      await confirmMigration?.()
      answer(null)
    } catch (error) {
      answer(toPlainError(error))
    }
  }

  await new Promise<void>((resolve, reject) => {
    worker.on('message', function receiveFirst(replies: Reply[]) {
      const [first] = replies
      if (first?.type === 'progress') return progress?.(first.title, first.done, first.total)
      if (first?.type === 'confirm') return void confirm()
      if (first?.type === 'loaded') return
      worker.off('message', receiveFirst)
      if (first?.type === 'fault') reject(fromPlainError(first.error))
      else resolve()
    })
    worker.once('error', (error) => reject(unavailable(error)))
  }).catch(async (error: unknown) => {
    await worker.terminate()
    throw error
  })
  worker.on('message', (replies: Reply[]) => {
    for (const reply of replies) receive(reply)
  })
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => end(new Error('The thread has ended.')))
  worker.unref()

  return {
    parts: new Proxy({}, { get: (_, port) => remote(String(port), call) }) as MainPart & LogPart,
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      if (ended !== null) return
      await call('thread', 'close', [])
      ended = new Error('The store is closed.')
      await worker.terminate()
    },
  }
}

/** Every member of a part is a call. */
function remote(
  port: string,
  call: (port: string, method: string, given: unknown[]) => Promise<unknown>,
): object {
  const methods = new Map<string, (...given: unknown[]) => Promise<unknown>>()
  return new Proxy(
    {},
    {
      get(_, name) {
        const method = String(name)
        const known = methods.get(method)
        if (known !== undefined) return known
        const made = (...given: unknown[]) => call(port, method, given)
        methods.set(method, made)
        return made
      },
    },
  )
}

const unavailable = (cause: unknown): GatewayError => toStoreError(cause)
