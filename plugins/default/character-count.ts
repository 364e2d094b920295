/** `default.characterCount`: the number of characters is within bounds. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { bound, prepareCount } from './shared/counting.ts'
import { type Filled, not, scope } from './shared/parameters.ts'

const parameters = Type.Object(
  {
    minCharacters: bound(0, 'The minimum number of characters.'),
    maxCharacters: bound(9_999_999, 'The maximum number of characters.'),
    not,
    scope,
  },
  { additionalProperties: false },
)

export const characterCount: Check<Filled<typeof parameters>> = {
  id: 'characterCount',
  title: 'Character count',
  description:
    'Passes when the text has at least minCharacters and at most maxCharacters characters. A character is a Unicode ' +
    'code point, including white space; some emoji and accented letters consist of several. ' +
    'A request is counted as a whole, an answer choice by choice (only its content): every choice must be within the bounds.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare: ({ minCharacters: min, maxCharacters: max, ...rest }) =>
    prepareCount({ unit: 'Characters', min, max, count: countCharacters, ...rest }),
}

/** A surrogate pair is one character. */
function countCharacters(text: string): number {
  let count = text.length
  for (let offset = 1; offset < text.length; offset++) {
    if ((text.charCodeAt(offset) & 0xfc00) !== 0xdc00) continue
    if ((text.charCodeAt(offset - 1) & 0xfc00) === 0xd800) count--
  }
  return count
}
