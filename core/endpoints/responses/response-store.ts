/**
 * What the gateway keeps of `/v1/responses`: the responses that it made by translation, each with the items that led
 * to it, and for those that a provider keeps, whose they are and with which stored credential they were made.
 * Kept in the cache's store under names of its own, for 30 days at the most, until there is a store that forgets
 * nothing; in memory the least recently used go first.
 * Errors: `dependency_unavailable` when the store does not answer.
 */
import { isObject, type JsonObject, type KeyValueStore, parseJson } from '@gateway/contract'
import type { ResponseOwner, ResponseStore } from '../../flow/response-store.ts'

const maxAgeMs = 30 * 86_400_000
/** A longer conversation is not kept. */
const maxEntryChars = 32 * 1_048_576
/** A store may be slow for a large entry; what is asked for here cannot be done without. */
const readAttempts = 3

/** What can be an id of a response at all: everything else is nobody's. */
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
    return { workspace: found.workspace, slug: found.slug }
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
