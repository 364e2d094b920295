/** The requirements for every check: each catches the check that does not meet it. */
import type { Check, GuardrailPlugin } from '@gateway/core/contract'
import { checkConformance } from '@gateway/core/testing'
import { expect } from 'chai'

const good: Check = {
  id: 'short',
  title: 'Short',
  description: 'Passes a short text.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters: {
    type: 'object',
    properties: { max: { type: 'integer', description: 'The most letters.' } },
    required: ['max'],
    additionalProperties: false,
  } as never,
  prepare: ({ max }: { max: number }) => ({ run: ({ text }) => ({ verdict: text.length <= max }) }),
}

const schema = good.parameters
let calls = 0
const bad: [string, string, Partial<Check>][] = [
  ['has no description', 'describes itself and its parameters', { description: '' }],
  ['takes unknown keys', 'describes itself', { parameters: { ...schema, additionalProperties: true } }],
  ['takes unknown keys', 'refuses parameters', { parameters: { ...schema, additionalProperties: true } }],
  [
    'takes any type',
    'refuses parameters',
    { parameters: { ...schema, properties: { max: { description: 'Anything.' } } } },
  ],
  [
    'throws on an empty text',
    'gives a verdict on empty text',
    {
      prepare: () => ({
        run({ text }) {
          if (text === '') throw new Error('nothing to do')
          return { verdict: true }
        },
      }),
    },
  ],
  [
    'gives no boolean',
    'gives a verdict on multi-byte text',
    { prepare: () => ({ run: () => ({ verdict: 1 as never }) }) },
  ],
  [
    'changes the body',
    'gives a verdict on huge text',
    {
      prepare: () => ({
        run({ request }) {
          request.json.model = 'other'
          return { verdict: true }
        },
      }),
    },
  ],
  [
    'counts its calls',
    'gives the same verdict again',
    { prepare: () => ({ run: () => ({ verdict: true, data: ++calls }) }) },
  ],
]

const requirementsOf = (check: Check) => {
  const plugin: GuardrailPlugin = { name: 'test', title: 'Test', checks: [check] }
  return checkConformance(plugin, { short: { parameters: { max: 100 }, text: 'hello' } })
}

async function outcomes(check: Check): Promise<Map<string, unknown>> {
  const results = new Map<string, unknown>()
  for (const { title, test } of requirementsOf(check))
    await test().then(
      () => results.set(title, null),
      (error: unknown) => results.set(title, error),
    )
  return results
}

describe('the requirements for every check', () => {
  it('are met by a good one', async () => {
    const results = await outcomes(good)
    expect(results.size).to.equal(7)
    for (const [title, error] of results) expect(error, title).to.equal(null)
  })

  for (const [name, title, change] of bad)
    it(`"${title}" catches a check that ${name}`, async () => {
      const results = await outcomes({ ...good, ...change })
      const [, error] = [...results].find(([candidate]) => candidate.startsWith(title)) ?? []
      expect(error).to.be.instanceOf(Error)
    })

  it('want a case for every check', async () => {
    const plugin: GuardrailPlugin = { name: 'test', title: 'Test', checks: [good] }
    const results = checkConformance(plugin, {})
    expect(results.map(({ title }) => title)).to.deep.equal(['has a case'])
    const outcome = await results[0]?.test().catch((error: unknown) => error)
    expect(outcome).to.be.instanceOf(Error)
  })
})
