/** `describeChecks` of the kit for plugin authors: the tests created for a table of cases, and when they fail. */
import type { Check, GuardrailPlugin } from '@gateway/contract'
import { type CheckCase, casesOf, type DescribeOptions, describeChecks } from '@gateway/testing'
import { Type } from '@sinclair/typebox'
import { expect } from 'chai'

const starts: Check<{ prefix: string; not?: boolean }> = {
  id: 'starts',
  title: 'Starts',
  description: 'Passes when the text starts so.',
  kind: 'guardrail',
  phases: ['before'],
  parameters: Type.Object(
    {
      prefix: Type.String({ description: 'How.' }),
      not: Type.Optional(Type.Boolean({ default: false, description: 'Inverts the verdict.' })),
    },
    { additionalProperties: false },
  ),
  prepare: ({ prefix, not }) => ({
    run: ({ text }) => ({ verdict: text.startsWith(prefix) !== not, data: { length: prefix.length } }),
  }),
}
const plugin: GuardrailPlugin = { name: 'mine', title: 'Mine', checks: [starts] }

const prefix = 'a'
const rows = casesOf(
  'starts',
  [
    { name: 'passes', text: 'ab', verdict: true, data: { length: 1 } },
    { name: 'fails', text: 'ba', verdict: false },
    { name: 'passes inverted', parameters: { prefix, not: true }, text: 'ba', verdict: true },
    { name: 'fails inverted', parameters: { prefix, not: true }, text: 'ab', verdict: false },
    { name: 'wants text', parameters: { prefix: 1 }, error: 'prefix' },
  ],
  { parameters: { prefix } },
)

/** The tests that are registered, by title: `mine.starts passes`. */
function registered(
  cases: readonly CheckCase[],
  options?: DescribeOptions,
): Map<string, () => Promise<void>> {
  const { describe, it } = globalThis
  const tests = new Map<string, () => Promise<void>>()
  let suite = ''
  const runner = {
    describe(title: string, body: () => void) {
      suite = title
      body()
    },
    it: (title: string, test: () => Promise<void>) => tests.set(`${suite} ${title}`, test),
  }
  try {
    Object.assign(globalThis, runner)
    describeChecks(plugin, cases, options)
  } finally {
    Object.assign(globalThis, { describe, it })
  }
  return tests
}

const outcome = async (test: (() => Promise<void>) | undefined): Promise<string | null> => {
  if (test === undefined) return 'there is no such test'
  return test().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

describe('describeChecks', () => {
  it('creates a test for each case, and for each requirement', async () => {
    const tests = registered(rows, { everyParameter: true })
    expect([...tests.keys()]).to.include.members([
      'mine is loaded by the gateway',
      'mine.starts passes',
      'mine.starts wants text',
      'mine.starts gives a verdict on empty text',
      'mine.starts has cases for every parameter',
    ])
    for (const [title, test] of tests) expect(await outcome(test), title).to.equal(null)
  })

  const [passes] = rows as [CheckCase]
  const wrong: [what: string, row: CheckCase, message: string][] = [
    ['another verdict', { ...passes, verdict: false } as CheckCase, 'verdict'],
    ['other data', { ...passes, data: { length: 2 } } as CheckCase, 'length'],
    ['another text', { ...passes, transformedText: 'x' } as CheckCase, 'x'],
    ['another fault', { ...passes, parameters: {}, error: 'suffix' } as CheckCase, 'suffix'],
    [
      'a fault that does not come',
      { name: 'passes', check: 'starts', parameters: { prefix }, error: 'x' },
      'Missing',
    ],
  ]
  for (const [what, row, message] of wrong)
    it(`fails a case that expects ${what}`, async () => {
      expect(await outcome(registered([row]).get('mine.starts passes'))).to.include(message)
    })

  const gaps: [what: string, without: string, message: string][] = [
    ['passes', 'passes inverted', 'no case with not passes'],
    ['fails', 'fails inverted', 'no case with not fails'],
  ]
  for (const [what, without, message] of gaps)
    it(`requires a case that ${what} for every parameter, when asked to`, async () => {
      const cases = rows.filter(({ name }) => name !== without)
      const title = 'mine.starts has cases for every parameter'
      expect(await outcome(registered(cases, { everyParameter: true }).get(title))).to.equal(message)
      expect(registered(cases).has(title)).to.equal(false)
    })

  it('refuses a case of a check that does not exist', () => {
    expect(() => registered([{ ...passes, check: 'ends' }])).to.throw('there is no check "ends" in mine')
  })

  it('requires a case of each check', async () => {
    expect(await outcome(registered([]).get('mine.starts has a case'))).to.include('no case')
  })
})
