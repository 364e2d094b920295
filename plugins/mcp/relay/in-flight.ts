/**
 * Calls in progress, so that `notifications/cancelled`, which arrives as a separate request, can cancel the one that it
 * names: of the same user, at the same server, in this process.
 */
import type { JsonObject } from '@gateway/contract'
import { RpcFault, type RpcId, type RpcNote, rpcCodes } from '../messages.ts'
import type { Visit } from './visit.ts'
import { personOf } from './visit-target.ts'

export interface InFlightCalls {
  /** Wraps the replies of a call, which its client may abandon or cancel. */
  track(visit: Visit, id: RpcId, replies: AsyncIterable<JsonObject>): AsyncIterable<JsonObject>
  /** Handles a notification of a client. */
  note(visit: Visit, note: RpcNote | null): void
}

export function createInFlightCalls(): InFlightCalls {
  const calls = new Map<string, AbortController>()
  const keyOf = ({ identity, place, request }: Visit, id: RpcId) =>
    JSON.stringify([place.server.id, personOf(identity, request.jwt), id])
  return {
    track: (visit, id, replies) => tracked(calls, keyOf(visit, id), { visit, replies }),
    note(visit, note) {
      const id = note?.params.requestId
      if (note?.method !== 'notifications/cancelled') return
      if (typeof id === 'string' || typeof id === 'number') calls.get(keyOf(visit, id))?.abort(cancelled())
    },
  }
}

const cancelled = () => new RpcFault(rpcCodes.denied, 'The call was cancelled by its client.')

interface TrackedOptions {
  visit: Visit
  replies: AsyncIterable<JsonObject>
}

async function* tracked(
  calls: Map<string, AbortController>,
  key: string,
  {
    visit: {
      controller,
      request: { signal },
    },
    replies,
  }: TrackedOptions,
): AsyncGenerator<JsonObject> {
  calls.set(key, controller)
  const leave = () => controller.abort(signal.reason)
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  try {
    yield* replies
  } finally {
    signal.removeEventListener('abort', leave)
    if (calls.get(key) === controller) calls.delete(key)
  }
}
