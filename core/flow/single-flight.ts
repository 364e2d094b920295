/** Upstream calls that identical requests share. */
import type { Answer, SharedStream } from './answer.ts'
import type { Cancellation } from './cancellation.ts'

/** The result of a shared call: an answer and, for a stream, the shared stream. */
export interface SharedAnswer {
  /** The cost so far in cents; null when unknown. */
  cost(): number | null
  answer: Answer
  shared: SharedStream | null
}

export interface SharedCall {
  /** Fires when no waiter is left. */
  cancellation: Cancellation
  result: Promise<SharedAnswer>
  /** Adds a waiter, until its client disconnects or the returned function is called. */
  join(caller: Cancellation): () => void
}

export interface SingleFlight {
  find(key: string): SharedCall | undefined
  /** Starts a call; it must end with `resolve` or `reject`, and `close` stops further waiters from joining. */
  begin(key: string): {
    call: SharedCall
    resolve(result: SharedAnswer): void
    reject(error: unknown): void
    close(): void
  }
}
