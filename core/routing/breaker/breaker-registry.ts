/**
 * The breakers of this process, by target and settings, bounded in number; they hear of each other's failures,
 * openings and closings in other processes over shared state. Where that does not answer, each goes on alone.
 */
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { SharedState } from '@gateway/contract'
import { LRUCache } from 'lru-cache'
import type { BreakerSettings, Breakers } from '../../flow/breaker.ts'
import { Breaker, type BreakerState } from './breaker.ts'
import { type BreakerMessage, readMessage } from './breaker-messages.ts'

export interface BreakersOptions {
  shared: SharedState
  /** Beyond it the least recently used go, with what they counted. Default 1000. */
  maxBreakers?: number
  /** Told when an event could not be announced: this process goes on with what it knows. */
  reportFault?: (error: unknown) => void
}

export interface BreakerRegistry extends Breakers {
  get(key: string, settings: BreakerSettings): Breaker
  /** How many are in which state. */
  states(): Record<BreakerState, number>
  /** Shuts all down. */
  close(): void
}

const topic = 'breakers'
const resubscribeMs = 5000

/** Breakers shared over `shared`; resolves also when that does not answer, and then keeps trying to listen. */
export async function createBreakers(options: BreakersOptions): Promise<BreakerRegistry> {
  const { shared, maxBreakers = 1000, reportFault } = options
  const self = randomUUID()
  const rotateBucketController = new EventEmitter().setMaxListeners(0)
  const breakers = new LRUCache<string, Breaker>({
    max: maxBreakers,
    dispose: (breaker) => breaker.shutdown(),
  })
  let closed = false
  let retry: NodeJS.Timeout | undefined

  function find(id: string, settings: BreakerSettings): Breaker {
    const known = breakers.get(id)
    if (known !== undefined) return known
    const breaker = new Breaker({
      id,
      settings,
      shared,
      rotateBucketController,
      announce(event) {
        const message: BreakerMessage = { from: self, event, id, settings }
        shared.publish(topic, JSON.stringify(message)).catch((error: unknown) => reportFault?.(error))
      },
    })
    breakers.set(id, breaker)
    return breaker
  }

  function hear(text: string): void {
    const message = closed ? undefined : readMessage(text)
    if (message === undefined || message.from === self) return
    // A target that nobody called here yet: what failed elsewhere counts for its first call.
    const isNews = message.event === 'failed' || message.event === 'opened'
    const breaker = isNews ? find(message.id, message.settings) : breakers.peek(message.id)
    breaker?.hear(message.event)
  }

  async function listen(): Promise<void> {
    await shared.subscribe(topic, hear).catch(() => {
      if (!closed) retry = setTimeout(listen, resubscribeMs).unref()
    })
  }

  await listen()
  return {
    get: (key, settings) => find(identify(key, settings), settings),
    states() {
      const counts = { closed: 0, open: 0, half_open: 0 }
      for (const breaker of breakers.values()) counts[breaker.state] += 1
      return counts
    },
    close() {
      closed = true
      clearTimeout(retry)
      breakers.clear()
    },
  }
}

/** The same in every process. The settings stand first: they have no slash, so no two pairs give the same text. */
function identify(key: string, settings: BreakerSettings): string {
  const { failure_threshold, cooldown_interval, failure_status_codes } = settings
  return `${failure_threshold}/${cooldown_interval}/${failure_status_codes?.join() ?? ''}/${key}`
}
