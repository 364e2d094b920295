/**
 * Stored responses. A translated response is stored with its input items; for a response that its provider stores, only
 * the owner and the stored credential are kept. Entries are in the cache's store under separate keys for up to 30 days;
 * in memory, the least recently used ones are evicted first. Errors: `dependency_unavailable` if the store does not
 * answer.
 */
import { isObject, type JsonObject, type KeyValueStore, parseJson } from '@gateway/contract'
import type { ResponseOwner, ResponseStore } from '@gateway/flow'

const maxAgeMs = 30 * 86_400_000
/** Longer conversations are not stored. */
const maxEntryChars = 32 * 1_048_576
/** Large entries may be slow to load, and the request cannot continue without them. */
const readAttempts = 3

/** The pattern of response ids; other ids are unknown. */
const plainId = /^[\w-]{1,200}$/

/** Opens the response state in a store of the cache. */
export function createResponseStore(kv: KeyValueStore): ResponseStore {
  const keptKey = (workspace: string, id: string) => `responses:${workspace}:${id}`
  const ownerKey = (id: string) => `response-owners:${id}`

  async function read(key: string): Promise<JsonObject | null> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const text: unknown = await kv.get(key)
        const value = typeof text === 'string' ? parseJson(text) : null
        return isObject(value) ? value : null
      } catch (error) {
        if (attempt === readAttempts) throw error
      }
    }
  }

  async function ownerOf(id: string): Promise<ResponseOwner | null> {
    if (!plainId.test(id)) return null
    const found = await read(ownerKey(id))
    if (typeof found?.workspace !== 'string' || typeof found.slug !== 'string') return null
    const { workspace, slug, session } = found
    return { workspace, slug, session: typeof session === 'string' ? session : null }
  }

  return {
    async find(workspace, id) {
      if (!plainId.test(id)) return null
      const found = await read(keptKey(workspace, id))
      if (found === null || !isObject(found.response) || !Array.isArray(found.items)) return null
      return { response: found.response, items: found.items.filter(isObject) }
    },
    async keep(workspace, kept) {
      const text = JSON.stringify(kept)
      if (text.length > maxEntryChars) return
      await kv.set(keptKey(workspace, String(kept.response.id)), text, maxAgeMs)
    },
    keepUnstored: null,
    async forget(workspace, id) {
      await kv.delete(keptKey(workspace, id))
    },
    ownerOf,
    async noteOwner(id, owner) {
      if (!plainId.test(id) || (await ownerOf(id)) !== null) return
      await kv.set(ownerKey(id), JSON.stringify(owner), maxAgeMs)
    },
    async forgetOwner(id) {
      await kv.delete(ownerKey(id))
    },
  }
}
