/** `default.regexMatch`: a pattern occurs in the text, or with `not` does not. */
import { type Check, runInTurns, type TextPart, type Turns, type Verdict } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { type Filled, not, scope } from './shared/parameters.ts'
import { partsInScope } from './shared/parts.ts'
import { findPlaces } from './shared/places.ts'
import { compileRule, longestMatch, rule } from './shared/rule.ts'

const parameters = Type.Object({ rule, not, scope }, { additionalProperties: false })

/** The most places that are reported. */
const maxPlaces = 10

export const regexMatch: Check<Filled<typeof parameters>> = {
  id: 'regexMatch',
  title: 'Regular expression',
  description:
    'Passes when the rule matches somewhere in the text. With not, passes when it matches nowhere: in no message, ' +
    'no choice and no tool call. Matching takes linear time for every rule.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ rule, not, scope }) {
    const pattern = compileRule(rule)
    const limit = not ? maxPlaces : 1
    const longest = not ? longestMatch(rule) : null
    function* search(parts: readonly TextPart[]): Turns<Verdict> {
      const matches = yield* findPlaces(pattern, parts, limit)
      return { verdict: matches.length > 0 !== not, data: { matches } }
    }
    return {
      windowed: longest !== null,
      longestMatch: longest,
      run: (input, io) => runInTurns(search(partsInScope(input, scope)), io),
    }
  },
}
