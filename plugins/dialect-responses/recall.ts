/**
 * Resolves the references of a response request before other stages: prepends the conversation of
 * `previous_response_id` to the input, and replaces each `item_reference` with its item and each of the gateway's
 * compaction items with its summary. Checks, caches and targets therefore see the whole conversation. References to
 * responses stored by a provider stay unchanged. Errors: 404 `previous_response_not_found` for another workspace's
 * response; `dependency_unavailable`.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { History, KeptResponse, Recalled, ResponseReader } from '@gateway/contract/dialect'
import { isOfUser, isTrigger, openSummaries } from './compaction.ts'
import { inputItems, responseOfItem } from './kept-items.ts'
import { unknownPreviousResponse } from './request.ts'

export async function recall(body: JsonObject, history: History): Promise<Recalled> {
  const { workspace, store } = history
  const { previous_response_id: previous, ...rest } = body
  const written = await resolveReferences(body.input, workspace, store)
  const input = openSummaries(written, history)
  const own = input === body.input ? body : { ...body, input }
  if (typeof previous !== 'string') return { body: own, continued: null }
  const kept = await store.find(workspace, previous)
  if (kept === null) {
    const owner = await store.ownerOf(previous)
    if (owner !== null && owner.workspace !== workspace) throw unknownPreviousResponse(previous)
    return { body: own, continued: null }
  }
  const earlier = openSummaries(conversationOf(kept), history)
  return { body: { ...rest, input: [...inputItems(earlier), ...inputItems(input)] }, continued: previous }
}

/** The conversation before a request. If its input requested a compaction, only the compacted part remains. */
function conversationOf({ items, response }: KeptResponse): JsonObject[] {
  const output = outputOf(response)
  const isCompacted = isTrigger(items.at(-1)) && output.some(({ type }) => type === 'compaction')
  return [...(isCompacted ? items.filter(isOfUser) : items), ...output]
}

const outputOf = ({ output }: JsonObject): JsonObject[] =>
  Array.isArray(output) ? output.filter(isObject) : []

/** Returns the same input if it has no references to stored responses. */
async function resolveReferences(
  input: Json | undefined,
  workspace: string,
  store: ResponseReader,
): Promise<Json | undefined> {
  if (!Array.isArray(input)) return input
  const wanted = new Set(input.map(referenceOf).map((id) => (id === null ? null : responseOfItem(id))))
  const found = new Map<string, JsonObject>()
  for (const responseId of wanted) {
    const kept = responseId === null ? null : await store.find(workspace, responseId)
    for (const item of kept === null ? [] : [...kept.items, ...outputOf(kept.response)])
      found.set(String(item.id), item)
  }
  if (found.size === 0) return input
  return input.map((item) => found.get(referenceOf(item) ?? '') ?? item)
}

/** The id that an item refers to; null for an ordinary item. */
function referenceOf(item: Json): string | null {
  if (!isObject(item) || typeof item.id !== 'string') return null
  const isReference = item.type === 'item_reference' || (!item.type && item.role === undefined)
  return isReference ? item.id : null
}
