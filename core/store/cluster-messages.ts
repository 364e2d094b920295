/**
 * Process messages between workers and their primary about shared state. Other process messages are ignored.
 */

const mark = 'gateway.shared-state'

/** A request of a worker. `id` is assigned by the worker. */
export interface SharedStateRequest {
  mark: typeof mark
  id: number
  operation: 'increment' | 'acquire' | 'delete' | 'publish'
  /** The key or the topic. */
  name: string
  /** Milliseconds for `increment` and `acquire`, the message for `publish`, absent for `delete`. */
  argument?: number | string
}

/** The primary answers one request. */
export interface SharedStateAnswer {
  mark: typeof mark
  id: number
  /** Absent for `delete` and `publish`. */
  value?: number | boolean
}

/** The primary passes a published message on to every worker. */
export interface SharedStateNotice {
  mark: typeof mark
  topic: string
  message: string
}

export function marked<T extends object>(fields: T): T & { mark: typeof mark } {
  return { mark, ...fields }
}

function isMarked(message: unknown): message is { mark: typeof mark } {
  return typeof message === 'object' && message !== null && 'mark' in message && message.mark === mark
}

/** Filters requests from the messages of a worker. */
export function isRequest(message: unknown): message is SharedStateRequest {
  return isMarked(message) && 'operation' in message
}

/** Filters answers and notices from the messages of the primary. */
export function isReply(message: unknown): message is SharedStateAnswer | SharedStateNotice {
  return isMarked(message) && !('operation' in message)
}
