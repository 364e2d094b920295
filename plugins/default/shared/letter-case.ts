/** Shared by the checks of upper and lower case. */
import type { CheckInput, PreparedCheck } from '@gateway/contract'
import type { Scope } from './parameters.ts'
import { saidParts } from './parts.ts'

export interface LetterCaseOptions {
  not: boolean
  scope: Scope
  /** The same text in the wanted case. */
  convert(text: string): string
  /** A letter that is not in the wanted case. */
  wrong: RegExp
}

/** The most places that are reported. */
const maxPlaces = 10

/** Prepares a check that passes when every letter with a case has the wanted one. */
export function prepareLetterCase({ not, scope, convert, wrong }: LetterCaseOptions): PreparedCheck {
  return {
    windowed: !not,
    // One letter may be two UTF-16 units.
    longestMatch: 2,
    run(input: CheckInput) {
      const others = saidParts(input, scope).filter(({ text }) => convert(text) !== text)
      const found = others
        .slice(0, maxPlaces)
        .map(({ path, text }) => ({ path, start: Math.max(0, text.search(wrong)) }))
      return { verdict: (others.length === 0) !== not, data: { found } }
    },
  }
}
