/**
 * Short-lived credentials (access tokens, session keys): cached until shortly before they expire, and renewed once for
 * any number of waiting calls. They are kept only in memory, under a hash, so no secret is used as a key.
 */
import { createHash } from 'node:crypto'
import { isGatewayError, isUpstreamFault } from '@gateway/contract'

export interface Expiring<Value> {
  value: Value
  /** Milliseconds since the epoch. */
  expiresAt: number
}

export interface TokenCache<Value> {
  /**
   * The value of these secrets, from memory or from `renew`. A failed renewal is not cached, and the old value is used
   * until it expires.
   */
  get(secrets: readonly unknown[], nowMs: number, renew: () => Promise<Expiring<Value>>): Promise<Value>
}

/** The time before its expiry at which a value is renewed. */
const marginMs = 300_000
/** The maximum number of credentials of one process; the oldest are evicted first. */
const maxEntries = 1000

interface Entry<Value> {
  current: Expiring<Value> | null
  renewal: Promise<Value> | null
}

/** Creates a cache; use one per kind of credential. */
export function createTokenCache<Value>(): TokenCache<Value> {
  const entries = new Map<string, Entry<Value>>()
  return {
    async get(secrets, nowMs, renew) {
      const entry = entryOf(entries, keyOf(secrets))
      for (;;) {
        const { current } = entry
        if (current !== null && isFresh(current, nowMs)) return current.value
        const isOwn = entry.renewal === null
        entry.renewal ??= renewOnce(entry, renew)
        // The margin ensures that no call waits; a failed renewal is retried by the next call.
        if (current !== null && current.expiresAt > nowMs) {
          entry.renewal.catch(() => undefined)
          return current.value
        }
        try {
          return await entry.renewal
        } catch (error) {
          if (isOwn || !isLeaving(error)) throw error
        }
      }
    },
  }
}

/**
 * When the caller who started a renewal disconnects, the renewal is aborted and the waiting callers start their own.
 */
function isLeaving(error: unknown): boolean {
  if (isGatewayError(error)) return error.code === 'client_closed_request' || error.code === 'request_timeout'
  return !isUpstreamFault(error)
}

function isFresh({ expiresAt }: Expiring<unknown>, nowMs: number): boolean {
  return expiresAt - nowMs > marginMs
}

async function renewOnce<Value>(entry: Entry<Value>, renew: () => Promise<Expiring<Value>>): Promise<Value> {
  try {
    const fresh = await renew()
    entry.current = fresh
    return fresh.value
  } finally {
    entry.renewal = null
  }
}

function entryOf<Value>(entries: Map<string, Entry<Value>>, key: string): Entry<Value> {
  const known = entries.get(key)
  if (known !== undefined) return known
  const made: Entry<Value> = { current: null, renewal: null }
  entries.set(key, made)
  const oldest = entries.keys().next()
  if (entries.size > maxEntries && oldest.done !== true) entries.delete(oldest.value)
  return made
}

const keyOf = (secrets: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(secrets)).digest('base64url')
