/** Patronus AI. Answers: https://docs.patronus.ai/docs/api_ref/evaluations/evaluate_v1_evaluate_post */

import plugin from '@gateway/plugin-patronus'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { answering, checkOf, describeDiscretion, describeFaults, runAgainst, runOnce } from './support.ts'

const result = (pass: boolean, positions: unknown = []) => ({
  results: [
    {
      evaluator_id: 'judge-large-2024-08-08',
      criteria: null,
      status: 'success',
      error_message: null,
      evaluation_result: {
        pass,
        score_raw: pass ? 1 : 0.25,
        additional_info: { positions, extra: null, confidence_interval: null },
        explanation: 'Because it says: The answer is long',
      },
    },
  ],
})

const io = (reply: unknown, settings: object = { apiKey: 'k' }) => ({
  settings: settings as never,
  ...answering(reply),
})
const text = 'Jane Doe has the flu'
const parametersOf = (id: string) => (id === 'custom' ? { profile: 'my-criteria' } : {})
const finders = ['phi', 'pii']

/** Evaluator, criteria, and whether the prompt belongs to the evaluation. */
const evaluators: Record<string, [evaluator: string, criteria: string | undefined, sendsPrompt: boolean]> = {
  phi: ['phi', undefined, false],
  pii: ['pii', undefined, false],
  toxicity: ['toxicity', undefined, false],
  isConcise: ['judge', 'patronus:is-concise', false],
  isHelpful: ['judge', 'patronus:is-helpful', false],
  isPolite: ['judge', 'patronus:is-polite', false],
  noApologies: ['judge', 'patronus:no-apologies', false],
  noGenderBias: ['judge', 'patronus:no-gender-bias', true],
  noRacialBias: ['judge', 'patronus:no-racial-bias', true],
  retrievalAnswerRelevance: ['retrieval-answer-relevance', undefined, true],
  custom: ['judge', 'my-criteria', true],
}

const rows = plugin.checks.flatMap(({ id }) =>
  casesOf(
    id,
    [
      { name: 'passes', io: io(result(true)), verdict: true },
      {
        name: "fails without repeating the evaluator's explanation",
        io: io(result(false)),
        verdict: false,
        data: finders.includes(id) ? { found: 1 } : { score: 0.25 },
      },
      { name: 'asks nothing about no text', text: ' ', io: io(null), verdict: true },
      { name: 'wants a key', io: io(result(true), {}), error: 'apiKey is missing' },
    ],
    { text, parameters: parametersOf(id) },
  ),
)

const redactions = finders.flatMap((id) =>
  casesOf(
    id,
    [
      {
        name: 'removes the reported ranges',
        io: io(
          result(false, [
            [0, 8],
            [17, 20],
          ]),
        ),
        verdict: true,
        data: { found: 2 },
        transformedText: '[REDACTED] has the [REDACTED]',
      },
      {
        name: 'takes out what overlaps once',
        io: io(
          result(false, [
            [0, 4],
            [2, 8],
          ]),
        ),
        verdict: true,
        transformedText: '[REDACTED] has the flu',
      },
      {
        name: 'changes nothing without a finding',
        io: io(result(true)),
        verdict: true,
        transformedText: null,
      },
      {
        name: 'fails when no positions are reported',
        io: io(result(false)),
        verdict: false,
        transformedText: null,
      },
      {
        name: 'fails where the places cannot be read',
        io: io(result(false, [['a', 3], [5, 5], 7])),
        verdict: false,
      },
      {
        name: 'only fails without redact',
        parameters: {},
        io: io(result(false, [[0, 8]])),
        verdict: false,
        transformedText: null,
      },
    ],
    { text, parameters: { redact: true } },
  ),
)

const wanting = casesOf('custom', [{ name: 'wants criteria', text, io: io(null), error: 'profile' }])

describeChecks(plugin, [...rows, ...redactions, ...wanting])

const run = (id: string) => (origin: string) => ({
  settings: { apiKey: 'k', baseUrl: origin },
  parameters: parametersOf(id),
  text,
})

describe('patronus at the vendor', () => {
  it('has every evaluator in its table', () => {
    expect(plugin.checks.map(({ id }) => id)).to.have.members(Object.keys(evaluators))
  })

  for (const [id, [evaluator, criteria, sendsPrompt]] of Object.entries(evaluators))
    it(`${id} calls ${evaluator} ${criteria ?? ''}`, async () => {
      const { seen } = await runOnce(checkOf(plugin, id), () => ({ json: result(true) }), run(id))
      expect(seen).to.have.length(1)
      expect(seen[0]).to.deep.include({
        method: 'POST',
        path: '/v1/evaluate',
        json: {
          evaluators: [
            { evaluator, ...(criteria === undefined ? {} : { criteria }), explain_strategy: 'never' },
          ],
          ...(sendsPrompt ? { task_input: 'Hello' } : {}),
          task_output: text,
          capture: 'none',
        },
      })
      expect(seen[0]?.headers['x-api-key']).to.equal('k')
    })

  it('prefers the key in its parameters', async () => {
    const { seen } = await runOnce(
      checkOf(plugin, 'isPolite'),
      () => ({ json: result(true) }),
      (origin) => ({ ...run('isPolite')(origin), parameters: { apiKey: 'mine' } }),
    )
    expect(seen[0]?.headers['x-api-key']).to.equal('mine')
  })

  it('fails for a streamed answer that is already being delivered and needs redaction', async () => {
    const prepared = checkOf(plugin, 'pii').prepare({ redact: true } as never, { apiKey: 'k' })
    const input = { phase: 'after', response: { json: null, status: 200 }, text, parts: [] }
    const verdict = await prepared.run(input as never, io(result(false, [[0, 8]])) as never)
    expect(verdict).to.deep.equal({ verdict: false, data: { found: 1 } })
  })

  /** Finds every X, and counts as the vendor does: in code points. */
  const findX = (output: string) =>
    [...output].flatMap((character, index) => (character === 'X' ? [[index, index + 1]] : []))

  it('removes the reported ranges in every choice, for any characters', () =>
    assertProperty(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('X', 'a', '👩‍🚀', 'é', '\n', '𝄞') }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (texts) => {
          const outcome = await runAgainst(checkOf(plugin, 'pii'), {
            parameters: { redact: true },
            response: { choices: texts.map((content) => ({ message: { content } })) },
            io: io(({ task_output }: { task_output: string }) => {
              const found = findX(task_output)
              return result(found.length === 0, found)
            }),
          })
          expect(outcome.verdict).to.equal(true)
          expect(outcome.text).to.equal(texts.map((text) => text.replaceAll('X', '[REDACTED]')).join('\n'))
        },
      ),
    ))
})

for (const check of plugin.checks) {
  const [, , sendsPrompt] = evaluators[check.id] ?? []
  describeDiscretion(check, () => ({ json: result(true) }), {
    run: run(check.id),
    sendsPrompt: sendsPrompt ?? false,
  })
}

describeFaults(checkOf(plugin, 'toxicity'), run('toxicity'), {
  'an evaluator that failed': {
    json: { results: [{ ...result(true).results[0], error_message: 'too long' }] },
  },
  'a result that is not a boolean': { json: { results: [{ evaluation_result: { pass: 1 } }] } },
  'no result': { json: { results: [] } },
})
describeFaults(checkOf(plugin, 'pii'), run('pii'))
describeFaults(checkOf(plugin, 'custom'), run('custom'))
