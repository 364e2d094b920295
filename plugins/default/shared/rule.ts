/** Rules: patterns in RE2 syntax from a config. */
import { compilePattern, type Pattern } from '@gateway/contract'
import { Type } from '@sinclair/typebox'

export const rule = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description:
    'A regular expression in RE2 syntax (no look-around, no back-references), bare or as /pattern/flags ' +
    'with the flags i, m and s. Each text is searched separately, so ^ and $ match the start and end of a text.',
})

/**
 * Compiles a rule.
 * @throws Error that says what is wrong with the rule
 */
export function compileRule(written: string): Pattern {
  try {
    return compilePattern(written)
  } catch (error) {
    throw new Error(`the rule is not a valid pattern: ${error instanceof Error ? error.message : error}`)
  }
}

/**
 * How many UTF-16 units of a text are needed to tell that a rule matches in it. Null if there is no bound, or if the
 * rule refers to the ends of the text or of words. An unbounded repetition at either end of the rule has a bound,
 * because its shortest repetition suffices for a match.
 */
export function longestMatch(written: string): number | null {
  const [, source = written, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(written) ?? []
  return compileRule(`/${shortened(source)}/${flags}`).longestMatch()
}

/** The rule with the repetitions at its start and end as short as possible. */
function shortened(source: string): string {
  const tokens = [...source.matchAll(/\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|[*+]\??|\{\d+,\}\??|[\s\S]/g)]
  return tokens
    .map(({ 0: token, index }, position) => {
      const isAtEnd = position === 1 || index + token.length === source.length
      return isAtEnd ? token.replace(/^(?:(\*)|(\+)|\{(\d+),\})\??$/, shortest) : token
    })
    .join('')
}

const shortest = (_: string, any?: string, some?: string, least?: string): string =>
  any !== undefined ? '{0}' : some !== undefined ? '{1}' : `{${least}}`
