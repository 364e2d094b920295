/**
 * Single flight: concurrent identical cache misses share one upstream call. The call is aborted when the last
 * waiter leaves.
 */

import { GatewayError } from '@gateway/contract'
import { Canceller, type SharedAnswer, type SharedCall, type SingleFlight } from '@gateway/flow'

/**
 * Emptied when no more waiters may join. A Map grows by allocating tables, and an old table keeps its last entries and
 * all later tables alive until a full collection: calls stored directly in the Map kept every request alive, which
 * doubled the cost of garbage collection.
 */
interface Slot {
  call: SharedCall | null
}

export function createSingleFlight(): SingleFlight {
  const slots = new Map<string, Slot>()
  return {
    find: (key) => slots.get(key)?.call ?? undefined,
    begin(key) {
      const canceller = new Canceller()
      let waiters = 0
      /** The answer is complete, so there is nothing to abort. */
      let isOver = false
      let resolve: (result: SharedAnswer) => void = () => undefined
      let reject: (error: unknown) => void = () => undefined
      const result = new Promise<SharedAnswer>((onResolve, onReject) => {
        resolve = (brought) => {
          isOver = brought.shared === null
          onResolve(brought)
        }
        reject = onReject
      })
      // The leader also throws this error, so without followers it must not be an unhandled rejection.
      result.catch(() => undefined)
      // A later call with the same key must stay open.
      const close = () => {
        if (slots.get(key) === slot) slots.delete(key)
        slot.call = null
      }
      const call: SharedCall = {
        cancellation: canceller,
        result,
        join(caller) {
          let isWaiting = true
          waiters += 1
          const leave = () => {
            if (!isWaiting) return
            isWaiting = false
            waiters -= 1
            caller.forget(leave)
            if (waiters > 0) return
            close()
            if (isOver) return
            canceller.abort(new GatewayError('client_closed_request', 'All clients disconnected.'))
          }
          caller.listen(leave)
          if (caller.aborted) leave()
          return leave
        },
      }
      const slot: Slot = { call }
      slots.set(key, slot)
      return { call, resolve, reject, close }
    },
  }
}
