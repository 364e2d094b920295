/**
 * Cache of the documents needed for authentication: synchronous once loaded, invalidated on change notifications, and
 * revalidated in the background. When the store does not answer, entries confirmed in the last {@link knownForMs} stay
 * valid; others fail with the store's error (`store_unavailable`).
 */

import type { DocumentChange, StoredDocument } from '@gateway/contract'
import { atMost } from '@gateway/flow'
import { LRUCache } from 'lru-cache'

/** How long entries work without the store, counted from their last confirmation. */
export const knownForMs = 600_000
/** Older entries are revalidated in the background, in case a change notification was lost. */
const confirmAfterMs = 30_000
/** How long a missing document is cached. */
const absentForMs = 5_000
/** The wait after a store failure before the next query. */
const restAfterFailureMs = 1_000
const maxAbsent = 10_000

export interface DocumentCacheOptions<T, Data> {
  kind: string
  /** Reads from the store. */
  find(lookup: string): Promise<StoredDocument<Data> | null>
  /** The cached part of a document. */
  make(document: StoredDocument<Data>, lookup: string): T
  /** The maximum number of entries; the least recently used are evicted first. */
  max: number
  /**
   * Whether missing documents are cached like existing ones: for documents that a caller's rights depend on, not for
   * callers.
   */
  keepsAbsent?: boolean
  /** Milliseconds since the epoch. */
  now(): number
}

export interface DocumentCache<T> {
  /** The cached value; null: it does not exist; undefined: call {@link load}. */
  peek(lookup: string): T | null | undefined
  /** The cached value, otherwise the store's. Errors: `store_unavailable`. */
  load(lookup: string): Promise<T | null>
  /** Receives the store's change notifications; an empty list: some may have been missed. */
  forget(changes: readonly DocumentChange[]): void
}

interface Entry<T> {
  value: T | null
  document: Pick<StoredDocument, 'id' | 'version'> | null
  confirmedAt: number
  /** The time when it is revalidated in the background. */
  confirmAt: number
  /** The generation of the change feed; an entry of an older one is not used before the store confirms it. */
  generation: number
}

/** Creates a cache for documents of one kind. */
export function createDocumentCache<T extends object, Data>(
  options: DocumentCacheOptions<T, Data>,
): DocumentCache<T> {
  const { kind, find, make, max, now, keepsAbsent = false } = options
  const lookups = new Map<string, Set<string>>()
  const entries = new LRUCache<string, Entry<T>>({
    ...atMost(max),
    dispose: (entry, lookup, reason) => {
      if (reason !== 'set') removeLookup(lookups, idOf(entry), lookup)
    },
  })
  const absent = new LRUCache<string, number>(atMost(maxAbsent))
  const loading = new Map<string, Promise<T | null>>()
  let generation = 0
  let changes = 0
  let failure: { until: number; error: unknown } | null = null

  function keep(document: StoredDocument<Data> | null, lookup: string): T | null {
    const before = entries.peek(lookup)
    const isSame = before !== undefined && before.document?.id === document?.id
    // The derived value stays the same object as long as the document does, so that others can use it as a key.
    const isKept = isSame && before.document?.version === document?.version
    const value = isKept ? before.value : document === null ? null : make(document, lookup)
    const confirmedAt = now()
    if (before !== undefined && !isSame) removeLookup(lookups, idOf(before), lookup)
    const entry = { value, document, confirmedAt, confirmAt: confirmedAt + confirmAfterMs, generation }
    entries.set(lookup, entry)
    const known = lookups.get(idOf(entry))
    if (known === undefined) lookups.set(idOf(entry), new Set([lookup]))
    else known.add(lookup)
    return value
  }

  async function ask(lookup: string): Promise<T | null> {
    const changesBefore = changes
    const known = entries.peek(lookup)
    try {
      if (failure !== null && now() < failure.until) throw failure.error
      const document = await find(lookup)
      failure = null
      // A change notified meanwhile may be newer than the data read, which is used but not cached.
      if (changes !== changesBefore) return document === null ? null : make(document, lookup)
      if (document !== null || keepsAbsent) return keep(document, lookup)
      entries.delete(lookup)
      absent.set(lookup, now() + absentForMs)
      return null
    } catch (error) {
      if (failure === null || now() >= failure.until) failure = { until: now() + restAfterFailureMs, error }
      // Not an entry that was invalidated while the store was asked: it has changed.
      const isStill = known !== undefined && entries.peek(lookup) === known
      if (isStill && now() - known.confirmedAt <= knownForMs) return known.value
      throw error
    }
  }

  function load(lookup: string): Promise<T | null> {
    const running = loading.get(lookup)
    if (running !== undefined) return running
    const started = ask(lookup).finally(() => loading.delete(lookup))
    loading.set(lookup, started)
    return started
  }

  return {
    peek(lookup) {
      const entry = entries.get(lookup)
      if (entry === undefined) {
        const until = absent.get(lookup)
        return until !== undefined && now() < until ? null : undefined
      }
      if (entry.generation !== generation) return undefined
      const time = now()
      if (time < entry.confirmAt) return entry.value
      if (time - entry.confirmedAt > knownForMs) return undefined
      entry.confirmAt = Math.min(time + confirmAfterMs, entry.confirmedAt + knownForMs + 1)
      // A failure does not fail this request: `ask` has recorded it, and the entry expires by its age.
      load(lookup).catch(() => undefined)
      return entry.value
    },
    load(lookup) {
      const known = this.peek(lookup)
      return known === undefined ? load(lookup) : Promise.resolve(known)
    },
    forget(told) {
      changes += 1
      if (told.length === 0) {
        generation += 1
        absent.clear()
        return
      }
      for (const change of told) {
        if (change.kind !== kind) continue
        absent.clear()
        // A missing document may exist now, for any of the lookups that found no document.
        for (const id of [change.id, nobody])
          for (const lookup of [...(lookups.get(id) ?? [])]) entries.delete(lookup)
      }
    },
  }
}

/** Represents the id of a missing document. */
const nobody = ''

const idOf = ({ document }: Pick<Entry<unknown>, 'document'>) => document?.id ?? nobody

function removeLookup(lookups: Map<string, Set<string>>, id: string, lookup: string): void {
  const known = lookups.get(id)
  known?.delete(lookup)
  if (known?.size === 0) lookups.delete(id)
}
