/**
 * How a PUT or PATCH changes stored data: omitted members keep their values, null clears, arrays are replaced, some
 * objects are merged.
 */
import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'
import type { Field } from './resource.ts'

/** The field's value after `given` is written over `stored`. */
export function mergeField(field: Field, stored: Json | undefined, given: Json): Json {
  const depth = field.merge === 'two' ? 2 : field.merge === 'one' ? 1 : 0
  return mergeValue(stored ?? null, given, { depth, replaced: field.replaced ?? [] })
}

function mergeValue(
  stored: Json,
  given: Json,
  { depth, replaced }: { depth: number; replaced: readonly string[] },
): Json {
  if (depth === 0 || !isObject(given)) return given
  const merged: JsonObject = isObject(stored) ? { ...stored } : {}
  for (const [name, member] of Object.entries(given)) {
    if (member === undefined) continue
    if (member === null) delete merged[name]
    else
      merged[name] = mergeValue(ownMember(merged, name) ?? null, member, {
        depth: replaced.includes(name) ? 0 : depth - 1,
        replaced: [],
      })
  }
  return merged
}
