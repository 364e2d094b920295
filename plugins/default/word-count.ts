/** `default.wordCount`: the number of words is within bounds. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { bound, prepareCount } from './shared/counting.ts'
import { type Filled, not, scope } from './shared/parameters.ts'
import { isWhiteSpace } from './shared/white-space.ts'

const parameters = Type.Object(
  {
    minWords: bound(0, 'The minimum number of words.'),
    maxWords: bound(99_999, 'The maximum number of words.'),
    not,
    scope,
  },
  { additionalProperties: false },
)

export const wordCount: Check<Filled<typeof parameters>> = {
  id: 'wordCount',
  title: 'Word count',
  description:
    'Passes when the text has at least minWords and at most maxWords words; a word is a sequence without white space. ' +
    'A request is counted as a whole, an answer choice by choice (only its content): every choice must be within the bounds.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare: ({ minWords: min, maxWords: max, ...rest }) =>
    prepareCount({ unit: 'Words', min, max, count: countWords, ...rest }),
}

function countWords(text: string): number {
  let count = 0
  let inside = false
  for (let offset = 0; offset < text.length; offset++) {
    const space = isWhiteSpace(text.charCodeAt(offset))
    if (!space && !inside) count++
    inside = !space
  }
  return count
}
