/** `default.regexMatch`: a pattern occurs in the text, or with `not` must not. */
import type { Check } from '@gateway/core/contract'
import { Type } from '@sinclair/typebox'
import { type Filled, not, scope } from './shared/parameters.ts'
import { partsInScope } from './shared/parts.ts'
import { compileRule, findPlaces, fitsWindow, rule } from './shared/rule.ts'

const parameters = Type.Object({ rule, not, scope }, { additionalProperties: false })

/** As many places as are reported. */
const maxPlaces = 10

export const regexMatch: Check<Filled<typeof parameters>> = {
  id: 'regexMatch',
  title: 'Regular expression',
  description:
    'Passes when the rule matches somewhere in the text. With not, passes when it matches nowhere: in no message, ' +
    'no choice and no tool call. Matching takes linear time, whatever the rule.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ rule, not, scope }) {
    const pattern = compileRule(rule)
    const limit = not ? maxPlaces : 1
    return {
      windowed: not && fitsWindow(rule),
      run(input) {
        const matches = findPlaces(pattern, partsInScope(input, scope), limit)
        return { verdict: matches.length > 0 !== not, data: { matches } }
      },
    }
  },
}
