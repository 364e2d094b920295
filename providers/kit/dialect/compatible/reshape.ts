/** Small differences of a compatible provider's request, as data: names that differ, fields it refuses. */
import type { Json, JsonObject } from '@gateway/core/contract'

export interface BodyRules {
  /** Unified name → the provider's name. When both are given, the unified one wins. */
  renames?: Readonly<Record<string, string>>
  /** Fields of the specification that the provider refuses. */
  drops?: readonly string[]
  /** Values that are the provider's default and that it refuses when they are spelt out. */
  defaults?: Readonly<Record<string, Json>>
}

/** The body by the provider's rules; the same object when no rule touches it. */
export function reshape(body: JsonObject, rules: BodyRules): JsonObject {
  const { renames = {}, drops = [], defaults = {} } = rules
  const isLeftOut = (field: string) =>
    drops.includes(field) || (Object.hasOwn(defaults, field) && defaults[field] === body[field])
  const fields = Object.keys(body).filter((field) => body[field] !== undefined)
  if (!fields.some((field) => isLeftOut(field) || Object.hasOwn(renames, field))) return body
  const sent: JsonObject = {}
  const renamed: JsonObject = {}
  for (const field of fields) {
    const name = Object.hasOwn(renames, field) ? renames[field] : undefined
    if (name !== undefined) renamed[name] = body[field]
    else if (!isLeftOut(field)) sent[field] = body[field]
  }
  return { ...sent, ...renamed }
}
