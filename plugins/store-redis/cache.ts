/**
 * Keyv's store adapter for Redis, based on @keyv/redis: its commands with a deadline and the gateway's errors. A
 * command that is not answered in time is a miss.
 */

import type { KeyValueStore, StoredValue } from '@gateway/contract'
import KeyvRedis from '@keyv/redis'
import { type Connection, keyPrefix, promptDeadlineMs } from './connection.ts'

/** Long values take longer to send. */
const sentPerMs = 50_000
/** Clearing iterates over all keys. */
const clearDeadlineMs = 10_000

/** A Keyv store under `gateway:kv:`. Errors: `dependency_unavailable`. */
export function createCache({ client, ask }: Connection, answerMs: number = promptDeadlineMs): KeyValueStore {
  const keyv = new KeyvRedis<string>(client, {
    namespace: `${keyPrefix}:kv`,
    keyPrefixSeparator: ':',
    throwOnErrors: true,
  })

  const cache: KeyValueStore = {
    // Not the options of @keyv/redis, which contain the URL. This also prevents a namespace set by Keyv from becoming a
    // second prefix.
    opts: {},
    get<Value>(key: string): Promise<StoredValue<Value>> {
      return ask(() => keyv.get<StoredValue<Value>>(key), answerMs)
    },
    set(key: string, value: string, ttlMs?: number) {
      const deadlineMs = answerMs + Math.ceil(value.length / sentPerMs)
      return ask(() => keyv.set(key, value, ttlMs && Math.ceil(ttlMs)), deadlineMs)
    },
    delete: (key) => ask(() => keyv.delete(key), answerMs),
    /** Empties the whole cache, in every namespace of Keyv. */
    clear: () => ask(clear, clearDeadlineMs),
    /** Keyv listens for error events; here commands reject instead. */
    on: () => cache,
  }

  /** @keyv/redis reports a failed clear only through its event. */
  async function clear(): Promise<void> {
    const faults: unknown[] = []
    const remember = (fault: unknown) => faults.push(fault)
    keyv.on('error', remember)
    await keyv.clear()
    keyv.off('error', remember)
    if (faults.length > 0) throw faults[0]
  }

  return cache
}
