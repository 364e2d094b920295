/**
 * Key sets (RFC 7517) by their URL, fetched through the host guard and kept for all checks of this process: one fetch at
 * a time, one more for a key that is not known, and none for half a minute after that. Errors: those of the fetch.
 */
import { type CheckIo, isObject, type JsonObject } from '@gateway/contract'
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'

export interface KeySets {
  /** The keys, no older than `maxAgeMs`; those of the last day when there are no newer ones to be had. */
  get(url: string, maxAgeMs: number, io: CheckIo): Promise<JWTVerifyGetKey>
  /** The keys anew, because one is not known; null when they were fetched just now, or cannot be. */
  renew(url: string, io: CheckIo): Promise<JWTVerifyGetKey | null>
}

const cooldownMs = 30_000
const staleMs = 86_400_000
/** The oldest goes beyond that. */
const maxSets = 100

interface KeySet {
  keys: JWTVerifyGetKey | null
  fetchedAt: number
  /** When it was last fetched or tried to. */
  triedAt: number
  flight: { signal: AbortSignal; keys: Promise<JWTVerifyGetKey> } | null
}

/** Makes an empty store. */
export function createKeySets(): KeySets {
  const sets = new Map<string, KeySet>()

  function find(url: string): KeySet {
    const known = sets.get(url)
    if (known !== undefined) return known
    const [oldest] = sets.keys()
    if (oldest !== undefined && sets.size >= maxSets) sets.delete(oldest)
    const made: KeySet = { keys: null, fetchedAt: 0, triedAt: Number.NEGATIVE_INFINITY, flight: null }
    sets.set(url, made)
    return made
  }

  return {
    async get(url, maxAgeMs, io) {
      const set = find(url)
      const ageMs = io.now() - set.fetchedAt
      if (set.keys !== null && ageMs <= maxAgeMs) return set.keys
      const isUsable = set.keys !== null && ageMs <= maxAgeMs + staleMs
      if (set.keys !== null && isUsable && io.now() - set.triedAt < cooldownMs) return set.keys
      try {
        return await fetchShared(set, url, io)
      } catch (error) {
        if (set.keys !== null && isUsable) return set.keys
        throw error
      }
    },
    async renew(url, io) {
      const set = find(url)
      if (set.flight === null && io.now() - set.triedAt < cooldownMs) return null
      // Without newer keys the token's key stays unknown, and the verdict fails.
      return fetchShared(set, url, io).catch(() => null)
    },
  }
}

async function fetchShared(set: KeySet, url: string, io: CheckIo): Promise<JWTVerifyGetKey> {
  const { signal } = io
  for (;;) {
    set.flight ??= { signal, keys: fetchKeys(set, url, io) }
    const { flight } = set
    try {
      return await flight.keys
    } catch (error) {
      // Whoever began it is gone; this one still needs the keys.
      if (flight.signal === signal || !flight.signal.aborted) throw error
    }
  }
}

async function fetchKeys(set: KeySet, url: string, io: CheckIo): Promise<JWTVerifyGetKey> {
  // In a step of its own, so that the flight stands before it can end.
  await null
  set.triedAt = io.now()
  try {
    const { status, json } = await io.fetchJson({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
    })
    if (status !== 200) throw new Error(`the key set was answered with status ${status}`)
    set.keys = readKeySet(json)
    set.fetchedAt = io.now()
    return set.keys
  } finally {
    set.flight = null
  }
}

/**
 * Reads a key set; keys of kinds that are not used stay unused.
 * @throws Error when it is none
 */
export function readKeySet(json: unknown): JWTVerifyGetKey {
  if (!isObject(json) || !Array.isArray(json.keys)) throw new Error('the key set has no list of keys')
  const keys = json.keys.filter(
    (key): key is JsonObject & { kty: string } => isObject(key) && typeof key.kty === 'string',
  )
  return createLocalJWKSet({ keys })
}
