/**
 * The known models of each provider: fetched from providers with a model list, cached for five minutes, one request at
 * a time per provider. While a provider fails, the previous list is used, else the adapter's, and no new request is
 * made for a while.
 */

import { GatewayError, isGatewayError, type ModelInfo } from '@gateway/contract'
import { isOverload, type ResolvedTarget } from '@gateway/flow'
import { LRUCache } from 'lru-cache'

export interface ModelLists {
  of(target: ResolvedTarget): Promise<readonly ModelInfo[]>
}

export interface ModelListsOptions {
  ask(target: ResolvedTarget, signal: AbortSignal): Promise<readonly ModelInfo[]>
  /** Called when a provider could not be asked. */
  failed(target: ResolvedTarget, reason: string): void
}

const freshMs = 300_000
/** The wait after a failure before a provider is asked again. */
const restMs = 30_000
/** The limit for one list, including the wait in the queue. */
const timeLimitMs = 3000
/** A timeout counts as the provider's failure only if the provider had at least this much time. */
const fairTimeMs = 1000
const maxAtOnce = 8
const maxLists = 1000

interface Known {
  models: readonly ModelInfo[]
  /** Milliseconds since the epoch. */
  until: number
}

/** Makes the lists of one configuration. */
export function createModelLists({ ask, failed }: ModelListsOptions): ModelLists {
  const known = new LRUCache<string, Known>({ max: maxLists })
  const flights = new Map<string, Promise<readonly ModelInfo[]>>()
  const turns = createTurns(maxAtOnce)

  async function refresh(target: ResolvedTarget): Promise<readonly ModelInfo[]> {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(tooLate()), timeLimitMs)
    const before = known.peek(target.identity)?.models ?? target.adapter.models ?? []
    let askedAt = Number.POSITIVE_INFINITY
    try {
      const models = await turns.run(limit.signal, () => {
        askedAt = Date.now()
        return ask(target, limit.signal)
      })
      known.set(target.identity, { models, until: Date.now() + freshMs })
      return models
    } catch (error) {
      // The provider is not to blame if the gateway is at capacity.
      if (isOverload(error)) throw error
      // Any other error comes from the adapter and must not affect the other lists.
      failed(target, isGatewayError(error) ? error.code : 'internal_error')
      const hadTime = !limit.signal.aborted || Date.now() - askedAt >= fairTimeMs
      if (hadTime) known.set(target.identity, { models: before, until: Date.now() + restMs })
      return before
    } finally {
      clearTimeout(timer)
      flights.delete(target.identity)
    }
  }

  return {
    async of(target) {
      if (target.adapter.endpoints.listModels === undefined) return target.adapter.models ?? []
      const list = known.get(target.identity)
      if (list !== undefined && list.until > Date.now()) return list.models
      const running = flights.get(target.identity)
      if (running !== undefined) return running
      const flight = refresh(target)
      flights.set(target.identity, flight)
      return flight
    },
  }
}

interface Turns {
  /** Runs the work once a slot is free. Rejects with the signal's reason if the signal fires first. */
  run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result>
}

function createTurns(most: number): Turns {
  let running = 0
  const waiting = new Set<() => void>()
  const release = () => {
    const [first] = waiting
    if (first === undefined) running -= 1
    // The slot passes to the next in the queue.
    else first()
  }
  return {
    async run(signal, work) {
      if (running < most) running += 1
      else await turn(waiting, signal)
      try {
        // An adapter may ignore its signal.
        return await Promise.race([work(), aborted(signal)])
      } finally {
        release()
      }
    },
  }
}

function turn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      signal.removeEventListener('abort', stop)
      waiting.delete(begin)
      resolve()
    }
    const stop = () => {
      waiting.delete(begin)
      reject(signal.reason)
    }
    waiting.add(begin)
    signal.addEventListener('abort', stop, { once: true })
  })
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

const tooLate = () =>
  new GatewayError('request_timeout', `The provider did not list its models within ${timeLimitMs} ms.`)
