/**
 * Patterns that a caller or a config may choose, matched by a linear-time engine (RE2 syntax):
 * no pattern can make the gateway spin. Written bare, or as `/pattern/flags` with the flags i, m, s, g, u.
 */
import { RE2JS } from 're2js'

export interface Pattern {
  /** Whether it occurs anywhere in the text (a search, not anchored). */
  test(text: string): boolean
  /** Replaces every occurrence; `$1` and `$<name>` in the replacement refer to groups. */
  replace(text: string, replacement: string): string
  /** Where every occurrence stands: offsets in UTF-16 units, at most `limit` of them. */
  find(text: string, limit: number): { start: number; end: number }[]
}

/**
 * Compiles a pattern.
 * @throws Error whose message says what is wrong with it
 */
export function compilePattern(rule: string): Pattern {
  const { source, flags } = split(rule)
  const compiled = RE2JS.compile(source, flags)
  return {
    // `test` runs on a lazy automaton; a matcher, which also knows where, costs several times more.
    test: (text) => compiled.test(text),
    replace: (text, replacement) => compiled.matcher(text).replaceAll(replacement),
    find(text, limit) {
      const found: { start: number; end: number }[] = []
      const matcher = compiled.matcher(text)
      while (found.length < limit && matcher.find())
        found.push({ start: matcher.start(), end: matcher.end() })
      return found
    },
  }
}

const flagBits: Record<string, number> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  g: 0,
  u: 0,
}

function split(rule: string): { source: string; flags: number } {
  const written = /^\/(.+)\/([a-z]*)$/s.exec(rule)
  if (written === null) return { source: rule, flags: 0 }
  let flags = 0
  for (const letter of written[2] ?? '') {
    const bit = flagBits[letter]
    if (bit === undefined)
      throw new Error(`unknown flag "${letter}" (known: ${Object.keys(flagBits).join('')})`)
    flags |= bit
  }
  return { source: written[1] ?? '', flags }
}
