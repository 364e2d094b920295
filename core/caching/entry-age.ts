/**
 * The age of a stored answer. Requests that differ only in `max_age` share their entries, so both the reader's and the
 * writer's `max_age` apply.
 */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { Resolved } from '@gateway/flow'

/** How long an answer may be used, in milliseconds. */
export const maxAgeMs = ({ node, workspace }: Resolved): number =>
  (node.cache?.maxAgeSeconds ?? workspace.file.cache.default_max_age) * 1000

/** The first line of a stored answer; null if it cannot be read or is too old for this request. */
export function freshHead(exchange: Resolved, stored: string): JsonObject | null {
  const head = parseJson(stored.slice(0, Math.max(stored.indexOf('\n'), 0)))
  if (!isObject(head)) return null
  const { storedAt } = head
  return typeof storedAt === 'number' && Date.now() - storedAt >= maxAgeMs(exchange) ? null : head
}
