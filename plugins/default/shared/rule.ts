/** Rules: patterns in RE2 syntax that a config chose. */
import { compilePattern, type Pattern } from '@gateway/contract'
import { Type } from '@sinclair/typebox'

export const rule = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description:
    'A regular expression in RE2 syntax (no look-around, no back-references), bare or as /pattern/flags ' +
    'with the flags i, m and s. It is searched for in each text apart, so ^ and $ are the ends of a text.',
})

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

/**
 * Finds how much of a text must be seen at once to tell that a rule occurs in it, in UTF-16 units. Null when there is
 * no bound, and when the rule asks for the ends of the text or of words. A run without bound at either end of the rule
 * has one: where the rule matches, its shortest run does.
 */
export function longestMatch(written: string): number | null {
  const [, source = written, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(written) ?? []
  return compileRule(`/${shortened(source)}/${flags}`).longestMatch()
}

/** The rule with a run at its beginning and at its end as short as they may be. */
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
