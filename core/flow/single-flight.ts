/** Upstream calls that identical requests share. */
import type { Answer, SharedStream } from './answer.ts'
import type { Cancellation } from './cancellation.ts'

/** What a shared call brought: an answer, and for a stream what its readers share. */
export interface SharedAnswer {
  /** What it cost so far in cents; null where that is not known. */
  cost(): number | null
  answer: Answer
  shared: SharedStream | null
}

export interface SharedCall {
  /** Fires when every waiter is gone. */
  cancellation: Cancellation
  result: Promise<SharedAnswer>
  /** Waits until the caller leaves or the function given back is called. */
  join(caller: Cancellation): () => void
}

export interface SingleFlight {
  find(key: string): SharedCall | undefined
  /** Begins a call; it must end with `resolve` or `reject`, and `close` when nobody may join any more. */
  begin(key: string): {
    call: SharedCall
    resolve(result: SharedAnswer): void
    reject(error: unknown): void
    close(): void
  }
}
