/** Passes texts that have no more than a number of words. */
import type { Check } from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'

const parameters = Type.Object(
  { max: Type.Integer({ minimum: 1, description: 'The most words that pass.' }) },
  { additionalProperties: false },
)

export const maxWords: Check<Static<typeof parameters>> = {
  id: 'maxWords',
  title: 'Most words',
  description: 'Passes when the text has no more than `max` words.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  // Called once per config: do the preparation here. Throw an Error for rules that the schema cannot express.
  prepare: ({ max }) => ({
    // Called once per request. An exception is an error of the check, never a verdict.
    run(input) {
      const words = input.text.split(/\s+/).filter((word) => word !== '').length
      return { verdict: words <= max, data: { words, max } }
    },
  }),
}
