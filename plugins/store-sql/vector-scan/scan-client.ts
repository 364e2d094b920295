/**
 * The client of the thread that scans signs; the thread starts on first use. Errors: `store_unavailable` when it ended.
 */
import { Worker } from 'node:worker_threads'
import { GatewayError } from '@gateway/contract'
import type { ScanCall, ScanReply } from './scan-messages.ts'

export interface ScanClient {
  ask(call: Omit<ScanCall, 'id'>): Promise<ScanReply>
  close(): Promise<void>
}

interface Waiting {
  resolve(reply: ScanReply): void
  reject(error: unknown): void
}

/** @param lost called when the thread ended and must be loaded again */
export function createScanClient(lost: () => void): ScanClient {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let lastId = 0

  function start(): Worker {
    const started = new Worker(new URL('./scan-worker.js', import.meta.url), {
      name: 'vectors',
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    })
    started.on('message', (reply: ScanReply) => {
      waiting.get(reply.id)?.resolve(reply)
      waiting.delete(reply.id)
      // An idle thread must not keep the process alive.
      if (waiting.size === 0) started.unref()
    })
    started.on('error', (error) => fail(started, error))
    started.on('exit', () => fail(started, new Error('The thread has ended.')))
    started.unref()
    return started
  }

  /** The next call starts another one. */
  function fail(ended: Worker, cause: unknown): void {
    if (worker === ended) {
      worker = null
      lost()
    }
    const error = new GatewayError('store_unavailable', 'Vectors cannot be searched.', { cause })
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  return {
    ask(call) {
      worker ??= start()
      const at = worker
      return new Promise((resolve, reject) => {
        const id = ++lastId
        at.ref()
        waiting.set(id, { resolve, reject })
        at.postMessage({ id, ...call })
      })
    },
    async close() {
      const ended = worker
      worker = null
      await ended?.terminate()
    },
  }
}
