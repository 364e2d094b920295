/** Shared state on Redis: counters and leases under `gateway:state:`, messages on channels `gateway:topic:…`. */
import type { SharedState } from '@gateway/contract'
import { type Connection, keyPrefix, promptDeadlineMs } from './connection.ts'

/** Both commands in one script, so that no counter is left without an expiry. */
const incrementScript = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count`

type Listener = (message: string) => void

/** Shared state for all processes on this Redis. Errors: `dependency_unavailable`. */
export function createSharedState({ client, subscriber, ask }: Connection): SharedState {
  const topics = new Map<string, { listeners: Set<Listener>; dispatch: Listener }>()

  function findTopic(topic: string) {
    const known = topics.get(topic)
    if (known !== undefined) return known
    const listeners = new Set<Listener>()
    const created = {
      listeners,
      // Called in a microtask: an exception in a listener must not reach the client, which would treat it as an invalid
      // answer.
      dispatch: (message: string) => {
        for (const listener of listeners) queueMicrotask(() => listener(message))
      },
    }
    topics.set(topic, created)
    return created
  }

  return {
    increment: (key, ttlMs) =>
      ask(
        async () =>
          Number(
            await client.eval(incrementScript, {
              keys: [stateKey(key)],
              arguments: [wholeMs(ttlMs).toString()],
            }),
          ),
        promptDeadlineMs,
      ),
    acquire: (key, ttlMs) =>
      ask(async () => {
        const taken = await client.set(stateKey(key), '1', { PX: wholeMs(ttlMs), NX: true })
        return taken !== null
      }, promptDeadlineMs),
    delete: (key) => ask(async () => void (await client.del(stateKey(key))), promptDeadlineMs),
    publish: (topic, message) => ask(async () => void (await client.publish(channelOf(topic), message))),
    async subscribe(topic, listener) {
      const { listeners, dispatch } = findTopic(topic)
      listeners.add(listener)
      try {
        // The client renews its subscriptions after each reconnection.
        await ask(async () => subscribeNow(topic, dispatch))
      } catch (error) {
        listeners.delete(listener)
        throw error
      }
    },
  }

  async function subscribeNow(topic: string, dispatch: Listener): Promise<void> {
    if (!subscriber.isReady) throw new Error('The connection for subscriptions is not ready.')
    await subscriber.subscribe(channelOf(topic), dispatch)
  }
}

function stateKey(key: string): string {
  return `${keyPrefix}:state:${key}`
}

function channelOf(topic: string): string {
  return `${keyPrefix}:topic:${topic}`
}

function wholeMs(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs))
}
