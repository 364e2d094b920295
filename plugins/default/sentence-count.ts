/** `default.sentenceCount`: the number of sentences is within bounds. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { countSentences } from './shared/count-sentences.ts'
import { bound, prepareCount } from './shared/counting.ts'
import { type Filled, not, scope } from './shared/parameters.ts'

const parameters = Type.Object(
  {
    minSentences: bound(0, 'The minimum number of sentences.'),
    maxSentences: bound(99_999, 'The maximum number of sentences.'),
    not,
    scope,
  },
  { additionalProperties: false },
)

export const sentenceCount: Check<Filled<typeof parameters>> = {
  id: 'sentenceCount',
  title: 'Sentence count',
  description:
    'Passes when the text has at least minSentences and at most maxSentences sentences. A sentence ends at a full ' +
    'stop, question or exclamation mark of any script, or at an empty line; not at a stop inside a number or a ' +
    'name, after a common abbreviation, or before a lowercase letter. ' +
    'A request is counted as a whole, an answer choice by choice (only its content): every choice must be within the bounds.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare: ({ minSentences: min, maxSentences: max, ...rest }) =>
    prepareCount({ unit: 'Sentences', min, max, count: countSentences, ...rest }),
}
