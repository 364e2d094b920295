/** Keyv's store adapter on Redis, by way of @keyv/redis: its commands, with a deadline and our errors; what is not answered in time is a miss. */

import type { KeyValueStore, StoredValue } from '@gateway/contract'
import KeyvRedis from '@keyv/redis'
import { type Connection, keyPrefix, promptDeadlineMs } from './connection.ts'

/** A long value takes a while to be sent. */
const sentPerMs = 50_000
/** It walks through all keys. */
const clearDeadlineMs = 10_000

/** A Keyv store under `gateway:kv:`. Errors: `dependency_unavailable`. */
export function createCache({ client, ask }: Connection, answerMs: number = promptDeadlineMs): KeyValueStore {
  const keyv = new KeyvRedis<string>(client, {
    namespace: `${keyPrefix}:kv`,
    keyPrefixSeparator: ':',
    throwOnErrors: true,
  })

  const cache: KeyValueStore = {
    // Not those of @keyv/redis, which hold the URL. Nor does a namespace that Keyv sets here become a second prefix.
    opts: {},
    get<Value>(key: string): Promise<StoredValue<Value>> {
      return ask(() => keyv.get<StoredValue<Value>>(key), answerMs)
    },
    set(key: string, value: string, ttlMs?: number) {
      const deadlineMs = answerMs + Math.ceil(value.length / sentPerMs)
      return ask(() => keyv.set(key, value, ttlMs && Math.ceil(ttlMs)), deadlineMs)
    },
    delete: (key) => ask(() => keyv.delete(key), answerMs),
    /** Empties the whole cache, whatever namespace Keyv set. */
    clear: () => ask(clear, clearDeadlineMs),
    /** Keyv listens for errors; here they reject. */
    on: () => cache,
  }

  /** @keyv/redis tells of a failed clear by its event only. */
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
