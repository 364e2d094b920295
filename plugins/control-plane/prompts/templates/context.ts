/**
 * The values that a template sees: a stack of contexts, the innermost first. Only own members count. A string that
 * contains a JSON object or array prints unchanged, and is traversed as the parsed value.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export interface Context {
  value: Json
  outer: Context | null
}

/** Reads values for one rendering; parses each encoded string once. */
export interface Values {
  /** Returns undefined for a missing name. */
  lookUp(name: string, context: Context): Json | undefined
  /** The items of a section: those of a list, or a truthy value itself; otherwise no items. */
  itemsOf(value: Json | undefined): readonly Json[]
}

export function createValues(): Values {
  const known = new Map<string, Json>()

  function decoded(value: Json): Json {
    if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
    const found = known.get(value) ?? parse(value)
    known.set(value, found)
    return found
  }

  function member(value: Json, name: string): Json | undefined {
    const walked = decoded(value)
    return isObject(walked) && Object.hasOwn(walked, name) ? walked[name] : undefined
  }

  return {
    lookUp(name, context) {
      if (name === '.') return context.value
      const [first = '', ...rest] = name.split('.')
      let found: Json | undefined
      for (let level: Context | null = context; level !== null && found === undefined; level = level.outer)
        found = member(level.value, first)
      // The first part of a dotted name selects the context for the rest, even when they are missing there: Mustache
      // specification 1.
      for (const part of rest) found = found === undefined ? undefined : member(found, part)
      return found
    },
    itemsOf(value) {
      const walked = value === undefined ? null : decoded(value)
      if (Array.isArray(walked)) return walked
      return walked === null || walked === false || walked === 0 || walked === '' ? [] : [walked]
    },
  }
}

/** A printed value: text unchanged, everything else as compact JSON. */
export function printed(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The object or list that a text encodes; other texts are returned unchanged. */
function parse(text: string): JsonObject | Json[] | string {
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) || Array.isArray(value) ? value : text
  } catch {
    // A text that only starts like JSON is plain text.
    return text
  }
}
