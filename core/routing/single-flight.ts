/**
 * Single flight: concurrent identical cache misses share one upstream call. The call belongs to all who wait for it:
 * it is aborted when the last of them is gone.
 */

import { GatewayError } from '@gateway/contract'
import type { Answer } from '../flow/answer.ts'
import { type Cancellation, Canceller } from '../flow/cancellation.ts'
import type { SharedStream } from '../streaming/tee-stream.ts'

/** What a flight brought: an answer, and for a stream what its readers share. */
export interface Landing {
  answer: Answer
  shared: SharedStream | null
}

export interface Flight {
  /** Fires when everybody is gone. */
  cancellation: Cancellation
  landing: Promise<Landing>
  /** Joins until the caller leaves or the function given back is called. */
  join(caller: Cancellation): () => void
}

export interface Flights {
  find(key: string): Flight | undefined
  /** Begins a flight; its call must end with `land` or `crash`, and `close` when nobody may join any more. */
  begin(key: string): {
    flight: Flight
    land(landing: Landing): void
    crash(error: unknown): void
    close(): void
  }
}

export function createFlights(): Flights {
  const flights = new Map<string, Flight>()
  return {
    find: (key) => flights.get(key),
    begin(key) {
      const canceller = new Canceller()
      let passengers = 0
      /** A whole answer is there: nothing is left to call off. */
      let isOver = false
      let land: (landing: Landing) => void = () => undefined
      let crash: (error: unknown) => void = () => undefined
      const landing = new Promise<Landing>((resolve, reject) => {
        land = (brought) => {
          isOver = brought.shared === null
          resolve(brought)
        }
        crash = reject
      })
      // The leader throws the same error itself: without followers it is no unhandled rejection.
      landing.catch(() => undefined)
      // A later flight with the same key is not this one's to close.
      const close = () => {
        if (flights.get(key) === flight) flights.delete(key)
      }
      const flight: Flight = {
        cancellation: canceller,
        landing,
        join(caller) {
          let isIn = true
          passengers += 1
          const leave = () => {
            if (!isIn) return
            isIn = false
            passengers -= 1
            caller.forget(leave)
            if (passengers > 0) return
            close()
            if (isOver) return
            canceller.abort(new GatewayError('client_closed_request', 'Every caller left.'))
          }
          caller.listen(leave)
          if (caller.aborted) leave()
          return leave
        },
      }
      flights.set(key, flight)
      return { flight, land, crash, close }
    },
  }
}
