/**
 * Public keys of issuers, fetched through the host guard and kept: again when they are too old, and when a token names
 * one that is not among them; old ones go on when the source fails.
 * Errors: `dependency_unavailable` when there are none to go on with.
 */
import { GatewayError, isGatewayError, isObject, type JsonObject, type ProviderIo } from '@gateway/contract'

/** How long a source may fail before its old keys end. */
export const staleKeysMs = 86_400_000
/** Between two fetches because of an unknown `kid`, or of a source that fails while old keys go on. */
export const refetchMs = 30_000
/** Between two fetches of a source that has never answered. */
const retryMs = 1_000
const timeoutMs = 5_000
const maxBytes = 262_144
const maxSources = 1_000

export interface KeySource {
  /** The key with that id; null when the source has none. */
  find(uri: string, kid: string, cacheMaxAgeMs: number): Promise<JsonObject | null>
}

export interface KeySourceOptions {
  fetch: ProviderIo['fetch']
  now(): number
}

interface Fetched {
  keys: ReadonlyMap<string, JsonObject>
  fetchedAt: number
  /** When a fetch may be made for an unknown key, and when a failing source is asked again. */
  refetchAt: number
}

export function createKeySource({ fetch, now }: KeySourceOptions): KeySource {
  const sources = new Map<string, Fetched>()
  const running = new Map<string, Promise<Fetched>>()
  const failures = new Map<string, { until: number; error: unknown }>()

  async function fetchKeys(uri: string, refetchAt: number): Promise<Fetched> {
    try {
      const fetched = { keys: await readKeys(fetch, uri), fetchedAt: now(), refetchAt }
      if (sources.size >= maxSources) sources.clear()
      sources.set(uri, fetched)
      failures.delete(uri)
      return fetched
    } catch (error) {
      if (failures.size >= maxSources) failures.clear()
      failures.set(uri, { until: now() + retryMs, error })
      throw error
    } finally {
      running.delete(uri)
    }
  }

  /** One fetch at a time, however many wait. */
  function refresh(uri: string, refetchAt: number): Promise<Fetched> {
    const failure = failures.get(uri)
    if (failure !== undefined && now() < failure.until) return Promise.reject(failure.error)
    const started = running.get(uri) ?? fetchKeys(uri, refetchAt)
    running.set(uri, started)
    return started
  }

  async function current(uri: string, cacheMaxAgeMs: number): Promise<Fetched> {
    const known = sources.get(uri)
    if (known === undefined) return refresh(uri, 0)
    const ageMs = now() - known.fetchedAt
    if (ageMs <= cacheMaxAgeMs) return known
    const mayGoOn = ageMs <= cacheMaxAgeMs + staleKeysMs
    if (mayGoOn && now() < known.refetchAt) return known
    known.refetchAt = now() + refetchMs
    try {
      return await refresh(uri, 0)
    } catch (error) {
      if (mayGoOn) return known
      throw error
    }
  }

  return {
    async find(uri, kid, cacheMaxAgeMs) {
      const fetched = await current(uri, cacheMaxAgeMs)
      const key = fetched.keys.get(kid)
      if (key !== undefined || now() < fetched.refetchAt) return key ?? null
      fetched.refetchAt = now() + refetchMs
      try {
        return (await refresh(uri, fetched.refetchAt)).keys.get(kid) ?? null
      } catch (error) {
        // The source fails: whether it has the key by now cannot be known, and that is no fault of the token.
        throw unavailable('The keys of the token issuer cannot be fetched.', error)
      }
    },
  }
}

async function readKeys(fetch: ProviderIo['fetch'], uri: string): Promise<Map<string, JsonObject>> {
  try {
    const { status, bytes } = await fetch({
      method: 'GET',
      url: uri,
      headers: { accept: 'application/jwk-set+json, application/json' },
      timeoutMs,
      maxBytes,
    })
    const body: unknown = status === 200 ? JSON.parse(Buffer.from(bytes).toString('utf8')) : null
    if (!isObject(body) || !Array.isArray(body.keys))
      throw new Error(`It answered ${status} without a key set.`)
    return keysById(body.keys.filter(isObject))
  } catch (error) {
    throw unavailable('The keys of the token issuer cannot be fetched.', error)
  }
}

/** Keys for signatures, by their id. */
export function keysById(keys: readonly JsonObject[]): Map<string, JsonObject> {
  const usable = keys.filter(({ use }) => use === undefined || use === 'sig')
  return new Map(usable.flatMap((key) => (typeof key.kid === 'string' ? [[key.kid, key] as const] : [])))
}

/** A host that the guard refuses is a wrong setting of ours, not of the caller. */
function unavailable(message: string, cause: unknown): GatewayError {
  if (isGatewayError(cause) && cause.code === 'dependency_unavailable' && cause.message === message)
    return cause
  return new GatewayError('dependency_unavailable', message, { cause, headers: { 'retry-after': '5' } })
}
