/**
 * `patronus.custom`: a judge with your own criteria or those of the vendor. Reference:
 * https://docs.patronus.ai/docs/evaluators/reference_guide (Judge). The vendor formerly called criteria profiles.
 */
import type { Check } from '@gateway/contract'
import type { Filled } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { createEvaluate } from './evaluate.ts'
import { common } from './parameters.ts'

const parameters = Type.Object(
  {
    profile: Type.String({
      minLength: 1,
      description: 'The name of the criteria, such as patronus:is-concise or your own.',
    }),
    ...common,
  },
  { additionalProperties: false },
)

export const custom: Check<Filled<typeof parameters, 'timeout'>> = {
  id: 'custom',
  title: 'Custom evaluator',
  description:
    'Passes when the answer meets the criteria. The prompt’s texts and the answer’s are sent to the vendor: criteria may ' +
    'compare the two.',
  kind: 'guardrail',
  phases: ['after'],
  parameters,
  prepare({ profile, ...own }, settings) {
    const evaluate = createEvaluate(own, settings)
    return {
      async run({ text, request }, io) {
        if (text.trim() === '') return { verdict: true, data: { skipped: 'no text' } }
        const by = { evaluator: 'judge', criteria: profile }
        const { isPassed, score } = await evaluate(by, { output: text, input: request.text }, io)
        return { verdict: isPassed, data: { score } }
      },
    }
  },
}
