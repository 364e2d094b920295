/**
 * Calls that are under way, so that `notifications/cancelled`, which comes as a request of its own, ends the one that it
 * names: of the same person, at the same server, in this process.
 */
import type { JsonObject } from '@gateway/contract'
import { RpcFault, type RpcId, type RpcNote, type RpcRequest, rpcCodes } from '../messages.ts'
import type { Visit } from './visit.ts'
import { personOf } from './visit-target.ts'

export interface InFlightCalls {
  /** Runs a call that may be cancelled. */
  track(
    visit: Visit,
    request: RpcRequest,
    run: (visit: Visit) => AsyncIterable<JsonObject>,
  ): AsyncIterable<JsonObject>
  /** Takes a notification of a client. */
  note(visit: Visit, note: RpcNote | null): void
}

export function createInFlightCalls(): InFlightCalls {
  const calls = new Map<string, AbortController>()
  const keyOf = ({ identity, place, request }: Visit, id: RpcId) =>
    JSON.stringify([place.server.id, personOf(identity, request.jwt), id])
  return {
    track(visit, request, run) {
      const key = keyOf(visit, request.id)
      const controller = new AbortController()
      const signal = AbortSignal.any([visit.signal, controller.signal])
      const replies = run({ ...visit, signal })
      return tracked(calls, key, controller, replies)
    },
    note(visit, note) {
      const id = note?.params.requestId
      if (note?.method !== 'notifications/cancelled') return
      if (typeof id === 'string' || typeof id === 'number') calls.get(keyOf(visit, id))?.abort(cancelled())
    },
  }
}

const cancelled = () => new RpcFault(rpcCodes.denied, 'The call was cancelled by its client.')

async function* tracked(
  calls: Map<string, AbortController>,
  key: string,
  controller: AbortController,
  replies: AsyncIterable<JsonObject>,
): AsyncGenerator<JsonObject> {
  calls.set(key, controller)
  try {
    yield* replies
  } finally {
    if (calls.get(key) === controller) calls.delete(key)
  }
}
