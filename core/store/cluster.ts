/**
 * A worker's side of shared state for `--workers N` without Redis: it sends process messages to the primary.
 * Errors: `dependency_unavailable` when the primary is gone or has not answered within five seconds.
 */
import process from 'node:process'
import { GatewayError, type SharedState } from '@gateway/contract'
import { isReply, marked, type SharedStateRequest } from './cluster-messages.ts'

export { serveSharedState } from './cluster-primary.ts'

/** A busy machine can pause a process for over a second. */
const deadlineMs = 5000

/** Ids are unique in this process: two states of one worker must not receive each other's answers. */
let lastId = 0

interface Waiting {
  resolve(value: number | boolean | undefined): void
  reject(error: GatewayError): void
}

/** The shared state that the primary serves with {@link serveSharedState}. Call it in a worker. */
export function createClusterSharedState(): SharedState {
  const waiting = new Map<number, Waiting>()
  const topics = new Map<string, Set<(message: string) => void>>()

  process.on('message', (message) => {
    if (!isReply(message)) return
    if ('id' in message) waiting.get(message.id)?.resolve(message.value)
    else for (const listener of topics.get(message.topic) ?? []) listener(message.message)
  })
  process.on('disconnect', () => {
    for (const { reject } of waiting.values()) reject(unavailable())
  })

  function ask(request: Pick<SharedStateRequest, 'operation' | 'name' | 'argument'>) {
    const id = ++lastId
    return new Promise<number | boolean | undefined>((resolve, reject) => {
      // If this process was paused, its answer may already have arrived: it is read before the immediate runs.
      const isLate = () => setImmediate(() => settle.reject(unavailable()))
      const timer = setTimeout(isLate, deadlineMs)
      const settle: Waiting = {
        resolve: (value) => done(() => resolve(value)),
        reject: (error) => done(() => reject(error)),
      }
      function done(finish: () => void): void {
        clearTimeout(timer)
        waiting.delete(id)
        finish()
      }
      waiting.set(id, settle)
      if (!process.connected) return settle.reject(unavailable())
      process.send?.(marked({ id, ...request }), undefined, undefined, (error) => {
        if (error !== null) settle.reject(unavailable(error))
      })
    })
  }

  return {
    increment: async (name, argument) => Number(await ask({ operation: 'increment', name, argument })),
    acquire: async (name, argument) => Boolean(await ask({ operation: 'acquire', name, argument })),
    delete: async (name) => void (await ask({ operation: 'delete', name })),
    publish: async (name, argument) => void (await ask({ operation: 'publish', name, argument })),
    async subscribe(topic, listener) {
      // The primary broadcasts everything; subscriptions are filtered here.
      const listeners = topics.get(topic) ?? new Set()
      topics.set(topic, listeners.add(listener))
    },
  }
}

function unavailable(cause?: unknown): GatewayError {
  return new GatewayError('dependency_unavailable', 'The primary process does not answer.', { cause })
}
