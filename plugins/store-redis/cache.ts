/**
 * Texts by key on Redis, based on @keyv/redis: its commands with a deadline and the gateway's errors. A command that is
 * not answered in time is a miss.
 */

import type { KeyValueStore } from '@gateway/contract'
import KeyvRedis from '@keyv/redis'
import { type Connection, keyPrefix, promptDeadlineMs } from './connection.ts'

/** Long values take longer to send. */
const sentPerMs = 50_000
/** Clearing iterates over all keys. */
const clearDeadlineMs = 10_000

/** A store under `gateway:kv:`. Errors: `dependency_unavailable`. */
export function createCache({ client, ask }: Connection, answerMs: number = promptDeadlineMs): KeyValueStore {
  const keyv = new KeyvRedis<string>(client, {
    namespace: `${keyPrefix}:kv`,
    keyPrefixSeparator: ':',
    throwOnErrors: true,
  })

  /** @keyv/redis reports a failed clear only through its event. */
  async function clear(): Promise<void> {
    const faults: unknown[] = []
    const remember = (fault: unknown) => faults.push(fault)
    keyv.on('error', remember)
    await keyv.clear()
    keyv.off('error', remember)
    if (faults.length > 0) throw faults[0]
  }

  return {
    get: (key) => ask(() => keyv.get<string>(key), answerMs),
    set(key, value, ttlMs) {
      const deadlineMs = answerMs + Math.ceil(value.length / sentPerMs)
      return ask(() => keyv.set(key, value, ttlMs && Math.ceil(ttlMs)), deadlineMs)
    },
    delete: (key) => ask(() => keyv.delete(key), answerMs),
    clear: () => ask(clear, clearDeadlineMs),
  }
}
