/**
 * Records when keys, sessions and groups of policies were last used, to the minute. Uses are recorded by requests and
 * written in batches in the background, without notifications. They are stored in separate documents, because using a
 * key must not change its `etag`.
 */

import type { Documents, DocumentWrite } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import { atMost } from '@gateway/flow'
import { LRUCache } from 'lru-cache'

const minuteMs = 60_000
/** The number of remembered keys. The minute of other keys is written more often than necessary. */
const maxRemembered = 100_000
/** The maximum number in one commit. */
const maxWrites = 500
/** The maximum number of pending writes while the store does not answer; further uses are dropped. */
const maxWaiting = 100_000

export interface LastUsed {
  /**
   * @param name id of the key or the session, or another name of what was used
   * @param toId derives an id from a name
   */
  note(name: string, organisationId: string, toId?: (name: string) => string): void
  /** Writes pending uses. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface LastUsedOptions {
  documents: Pick<Documents, 'commit'>
  now(): number
  /** The time between two batches. Default 2 s, because a use must be visible within 5 s, including its write. */
  intervalMs?: number
  report(error: unknown): void
}

interface Use {
  id: string
  organisationId: string
  /** The beginning of the minute, in milliseconds since the epoch. */
  usedAt: number
}

/** Creates the recorder, and the timer that writes its batches. */
export function createLastUsed({ documents, now, intervalMs = 2000, report }: LastUsedOptions): LastUsed {
  const noted = new LRUCache<string, number>(atMost(maxRemembered))
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
        // They are written with a later batch, unless newer uses are recorded first.
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
