/** Rules: patterns in RE2 syntax that a config chose, and where they occur. */
import { compilePattern, type Pattern, type TextPart } from '@gateway/core/contract'
import { Type } from '@sinclair/typebox'

export const rule = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description:
    'A regular expression in RE2 syntax (no look-around, no back-references), bare or as /pattern/flags ' +
    'with the flags i, m and s. It is searched for in each text apart, so ^ and $ are the ends of a text.',
})

/** A place in a body; offsets are UTF-16 units. */
export interface Place {
  path: string
  start: number
  end: number
}

/**
 * Compiles a rule.
 * @throws Error that names the rule's fault
 */
export function compileRule(written: string): Pattern {
  try {
    return compilePattern(written)
  } catch (error) {
    throw new Error(`the rule is not a valid pattern: ${error instanceof Error ? error.message : error}`)
  }
}

/** Finds at most `limit` places where a pattern occurs. */
export function findPlaces(pattern: Pattern, parts: readonly TextPart[], limit: number): Place[] {
  const places: Place[] = []
  for (const { path, text } of parts) {
    if (places.length >= limit) break
    if (!pattern.test(text)) continue
    for (const { start, end } of pattern.find(text, limit - places.length)) places.push({ path, start, end })
  }
  return places
}

/**
 * Says whether "the rule does not occur" can be told from windows of a text that overlap: not when the rule asks
 * for the ends of the text or of words, which a window moves, nor when a match has no greatest length. A run without
 * bound at either end of the rule is harmless (its shortest form is found), and so is one of white space.
 */
export function fitsWindow(written: string): boolean {
  const source = /^\/(.+)\/[a-z]*$/s.exec(written)?.[1] ?? written
  const tokens = [...source.matchAll(/\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|[*+]\??|\{\d+,\}\??|[\s\S]/g)]
  return tokens.every(({ 0: token, index }, position) => {
    if (token === '^' || token === '$' || /^\\[AzZbBQ]$/.test(token)) return false
    if (!/^(?:[*+]\??|\{\d+,\}\??)$/.test(token)) return true
    const atEnd = index + token.length === source.length
    return position === 1 || atEnd || /^(?:\\[stn]| )$/.test(tokens[position - 1]?.[0] ?? '')
  })
}
