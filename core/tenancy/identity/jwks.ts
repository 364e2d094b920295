/**
 * JSON Web Key Sets (RFC 7517) of token issuers by their URL, fetched through the host guard and cached for the whole
 * process, for the gateway's own authentication and for checks. A set is fetched again when it is too old, and when a
 * token names a key that it lacks; while its source fails, the old keys stay in use. Errors: those of the fetch, and an
 * `Error` for an answer that is not a key set.
 */
import { isObject, type JsonObject, type KeySets, type ProviderIo } from '@gateway/contract'
import { LRUCache } from 'lru-cache'

/** The time for which keys stay in use after their maximum age, while their source fails. */
const staleMs = 86_400_000
/** The minimum time between two fetches for an unknown key, or from a failing source while old keys stay in use. */
const refetchMs = 30_000
/** The minimum time between two fetches from a source that has never answered. */
const retryMs = 1_000
const timeoutMs = 5_000
const maxSources = 1_000

export interface KeySetsOptions {
  fetch: ProviderIo['fetch']
  now(): number
}

interface KeySet {
  keys: readonly JsonObject[]
  fetchedAt: number
  /** The earliest time of another fetch for an unknown key or from a failing source. */
  refetchAt: number
}

export function createKeySets({ fetch, now }: KeySetsOptions): KeySets {
  const sets = new LRUCache<string, KeySet>({ max: maxSources })
  const running = new Map<string, Promise<KeySet>>()
  const failures = new LRUCache<string, { until: number; error: unknown }>({ max: maxSources })

  async function fetchSet(url: string, refetchAt: number): Promise<KeySet> {
    try {
      const fetched = { keys: await fetchKeys(fetch, url), fetchedAt: now(), refetchAt }
      sets.set(url, fetched)
      failures.delete(url)
      return fetched
    } catch (error) {
      failures.set(url, { until: now() + retryMs, error })
      throw error
    } finally {
      running.delete(url)
    }
  }

  /** One fetch at a time, for any number of waiting callers. */
  function refresh(url: string, refetchAt: number): Promise<KeySet> {
    const failure = failures.get(url)
    if (failure !== undefined && now() < failure.until) return Promise.reject(failure.error)
    const started = running.get(url) ?? fetchSet(url, refetchAt)
    running.set(url, started)
    return started
  }

  return {
    async get(url, maxAgeMs) {
      const known = sets.get(url)
      if (known === undefined) return (await refresh(url, 0)).keys
      const ageMs = now() - known.fetchedAt
      if (ageMs <= maxAgeMs) return known.keys
      const isUsable = ageMs <= maxAgeMs + staleMs
      if (isUsable && now() < known.refetchAt) return known.keys
      known.refetchAt = now() + refetchMs
      try {
        return (await refresh(url, 0)).keys
      } catch (error) {
        if (isUsable) return known.keys
        throw error
      }
    },
    async renew(url) {
      const known = sets.get(url)
      if (known !== undefined && now() < known.refetchAt)
        return running.get(url)?.then(({ keys }) => keys) ?? null
      const refetchAt = now() + refetchMs
      if (known !== undefined) known.refetchAt = refetchAt
      return (await refresh(url, refetchAt)).keys
    },
  }
}

async function fetchKeys(fetch: ProviderIo['fetch'], url: string): Promise<JsonObject[]> {
  const { status, bytes } = await fetch({
    method: 'GET',
    url,
    headers: { accept: 'application/jwk-set+json, application/json' },
    timeoutMs,
  })
  if (status !== 200) throw new Error(`The key set request returned status ${status}.`)
  const body: unknown = JSON.parse(bytes.toString('utf8'))
  if (!isObject(body) || !Array.isArray(body.keys)) throw new Error('The key set has no list of keys.')
  return body.keys.filter(isObject)
}
