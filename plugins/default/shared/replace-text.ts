/** Replaces matches of a pattern and keeps JSON valid: the input of tools must stay an object. */
import { isObject, type Json, type Pattern, type Turns } from '@gateway/contract'

/**
 * Replaces every match. If that would break a JSON text (a number becomes words, part of an escape is removed), its
 * names, strings and numbers are replaced one by one.
 */
export function* replaceText(pattern: Pattern, text: string, replacement: string): Turns<string> {
  const replaced = yield* pattern.inTurns.replace(text, replacement)
  if (!/^\s*[[{]/.test(text) || parse(replaced) !== undefined) return replaced
  return replaceLeaves(text, (leaf) => pattern.replace(leaf, replacement)) ?? replaced
}

/** Null for a text that is not JSON, or is nested too deeply for recursion. */
function replaceLeaves(text: string, replace: (leaf: string) => string): string | null {
  try {
    return JSON.stringify(replaceIn(JSON.parse(text), replace))
  } catch {
    return null
  }
}

function replaceIn(value: Json, replace: (text: string) => string): Json {
  if (typeof value === 'string') return replace(value)
  if (typeof value === 'number') {
    const text = String(value)
    const replaced = replace(text)
    return replaced === text ? value : replaced
  }
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, replace))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(
    ([name, member]) => [replace(name), replaceIn(member ?? null, replace)] as const,
  )
  return Object.fromEntries(members)
}

/** JSON has no undefined, so it can mean "not JSON". */
function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
