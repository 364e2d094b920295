/**
 * When keys, sessions and groups of policies were last used, to the minute: recorded by requests, written in batches in
 * the background, without notifications. Stored in separate documents, so that using a key does not change its `etag`.
 */

import type { Documents, DocumentWrite } from '@gateway/contract'
import { LRUCache } from 'lru-cache'
import { kinds } from '../../domain/index.ts'

const minuteMs = 60_000
/** Whose last minute is remembered; of others it is written once more than needed. */
const maxRemembered = 100_000
/** In one commit. */
const maxWrites = 500
/** Waiting to be written, while the store does not answer: beyond it the use is forgotten. */
const maxWaiting = 100_000

export interface LastUsed {
  /**
   * @param name id of the key or the session; or whatever names what was used
   * @param toId makes an id of another name
   */
  note(name: string, organisationId: string, toId?: (name: string) => string): void
  /** Writes what waits. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface LastUsedOptions {
  documents: Pick<Documents, 'commit'>
  now(): number
  /** Between two batches; default 2 s: a use is to be seen within 5 s, the write of it included. */
  intervalMs?: number
  report(error: unknown): void
}

interface Use {
  id: string
  organisationId: string
  /** The minute's begin, in milliseconds since the epoch. */
  usedAt: number
}

/** Makes the notebook, and the timer that empties it. */
export function createLastUsed({ documents, now, intervalMs = 2000, report }: LastUsedOptions): LastUsed {
  const noted = new LRUCache<string, number>({ maxSize: maxRemembered, sizeCalculation: () => 1 })
  let waiting = new Map<string, Use>()
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const batch = waiting
    waiting = new Map()
    const writes = [...batch.values()].map(toWrite)
    for (let start = 0; start < writes.length; start += maxWrites) {
      try {
        await documents.commit(writes.slice(start, start + maxWrites))
      } catch (error) {
        report(error)
        // They are written with a later batch, unless newer uses are noted first.
        for (const [id, entry] of [...batch].slice(start)) {
          if (waiting.size < maxWaiting && !waiting.has(id)) waiting.set(id, entry)
        }
        return
      }
    }
  }

  const flush = () => {
    writing = writing.then(write)
    return writing
  }
  const timer = setInterval(() => {
    if (waiting.size > 0) void flush()
  }, intervalMs)
  timer.unref()
  return {
    note(name, organisationId, toId) {
      const minute = Math.floor(now() / minuteMs)
      if (noted.get(name) === minute) return
      noted.set(name, minute)
      const id = toId === undefined ? name : toId(name)
      if (waiting.size < maxWaiting) waiting.set(id, { id, organisationId, usedAt: minute * minuteMs })
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

const toWrite = ({ id, organisationId, usedAt }: Use): DocumentWrite => ({
  op: 'put',
  isQuiet: true,
  document: {
    kind: kinds.use,
    id,
    organisation_id: organisationId,
    workspace_id: null,
    slug: null,
    name: null,
    status: 'active',
    created_at: usedAt,
    last_updated_at: usedAt,
    keys: [],
    attributes: {},
    data: { last_used_at: new Date(usedAt).toISOString() },
  },
})
