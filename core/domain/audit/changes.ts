/** The differences made by a write. */
import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'

/** Whether two JSON values are equal, independent of the order of members. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]))
  }
  if (!isObject(left) || !isObject(right)) return false
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every((name) => isSame(ownMember(left, name), ownMember(right, name)))
}

/** The differences between two objects: JSON pointer → before and after; recursive for objects, not for arrays. */
export function changesOf(before: JsonObject, after: JsonObject): Record<string, [Json, Json]> {
  const changes: Record<string, [Json, Json]> = {}
  collect(before, after, { path: '', changes })
  return changes
}

function collect(
  before: JsonObject,
  after: JsonObject,
  { path, changes }: { path: string; changes: Record<string, [Json, Json]> },
): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [ownMember(before, name) ?? null, ownMember(after, name) ?? null]
    if (isSame(from, to)) continue
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (isObject(from) && isObject(to)) collect(from, to, { path: at, changes })
    else changes[at] = [from, to]
  }
}
