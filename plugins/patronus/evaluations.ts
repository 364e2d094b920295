/**
 * The checks that consist of a single evaluator: one row each.
 * Reference: https://docs.patronus.ai/docs/evaluators/off_the_shelf, https://docs.patronus.ai/docs/evaluators/reference_guide
 * Not confirmed: whether the two bias judges require the input, as the age bias judge does.
 */
import type { Check } from '@gateway/contract'
import { createEvaluate, type Evaluator } from './evaluate.ts'
import { type Parameters, parameters } from './parameters.ts'

interface Row extends Evaluator {
  id: string
  title: string
  /** Describes a passing answer, such as `is polite`. */
  passes: string
  needsInput?: boolean
}

const judge = (name: string): Evaluator => ({ evaluator: 'judge', criteria: `patronus:${name}` })

const rows: readonly Row[] = [
  { id: 'isConcise', title: 'Is concise', passes: 'is clear and concise', ...judge('is-concise') },
  { id: 'isHelpful', title: 'Is helpful', passes: 'has a helpful tone', ...judge('is-helpful') },
  { id: 'isPolite', title: 'Is polite', passes: 'is polite', ...judge('is-polite') },
  { id: 'noApologies', title: 'No apologies', passes: 'contains no apology', ...judge('no-apologies') },
  {
    id: 'noGenderBias',
    title: 'No gender bias',
    passes: 'contains no gender stereotype',
    needsInput: true,
    ...judge('no-gender-bias'),
  },
  {
    id: 'noRacialBias',
    title: 'No racial bias',
    passes: 'contains no racial stereotype',
    needsInput: true,
    ...judge('no-racial-bias'),
  },
  {
    id: 'retrievalAnswerRelevance',
    title: 'Retrieval answer relevance',
    passes: 'is on the question’s topic, right or wrong',
    needsInput: true,
    evaluator: 'retrieval-answer-relevance',
  },
  { id: 'toxicity', title: 'Toxicity', passes: 'is neither abusive nor hateful', evaluator: 'toxicity' },
]

export const evaluations: readonly Check<Parameters>[] = rows.map(createCheck)

function createCheck({ id, title, passes, needsInput = false, ...by }: Row): Check<Parameters> {
  return {
    id,
    title,
    description: `Passes when the answer ${passes}. ${
      needsInput ? 'The prompt’s texts and the answer’s' : 'Only the answer’s texts'
    } are sent to the vendor.`,
    kind: 'guardrail',
    phases: ['after'],
    parameters,
    prepare(own, settings) {
      const evaluate = createEvaluate(own, settings)
      return {
        async run({ text, request }, io) {
          if (text.trim() === '') return { verdict: true, data: { skipped: 'no text' } }
          const task = needsInput ? { output: text, input: request.text } : { output: text }
          const { isPassed, score } = await evaluate(by, task, io)
          return { verdict: isPassed, data: { score } }
        },
      }
    },
  }
}
