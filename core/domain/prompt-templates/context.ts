/**
 * The values that a template sees: a stack of contexts, the innermost first. Only own members count. A string that is a
 * JSON object or array prints as it was sent, and is walked as what it encodes.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export interface Context {
  value: Json
  outer: Context | null
}

/** Reads values for one rendering, and parses each encoded string once. */
export interface Values {
  /** Gives undefined for a name that is missing. */
  lookUp(name: string, context: Context): Json | undefined
  /** What a section repeats over: the items of a list, once for a value that holds, nothing else. */
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
      // The first part decides where the others are looked for, also when they are not there: Mustache's specification 1.
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

/** As a value is printed: text as it is, numbers and booleans as JSON, objects and lists as compact JSON. */
export function printed(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The object or list that a text encodes; any other text is itself. */
function parse(text: string): JsonObject | Json[] | string {
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) || Array.isArray(value) ? value : text
  } catch {
    // A text that only begins like JSON is a text.
    return text
  }
}
