/** The requirements for every check: each catches the check that does not meet it. */
import type { Check, CheckInput, CheckIo, GuardrailPlugin, PreparedCheck } from '@gateway/contract'
import { type CheckRun, checkConformance, type HardText, type Requirement } from '@gateway/testing'
import { expect } from 'chai'

const good: Check = {
  id: 'short',
  title: 'Short',
  description: 'Passes a short text.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters: {
    type: 'object',
    properties: { max: { type: 'integer', minimum: 1, description: 'The most letters.' } },
    required: ['max'],
    additionalProperties: false,
  } as never,
  prepare: ({ max }: { max: number }) => ({ run: ({ text }) => ({ verdict: text.length <= max }) }),
}

const { parameters: schema } = good
const withMember = (name: string, member: object): Partial<Check> => ({
  parameters: { ...schema, properties: { ...schema.properties, [name]: member } } as never,
})
const named = withMember('name', { type: 'string', description: 'A name.' })
const running = (run: PreparedCheck['run'], rest: Partial<PreparedCheck> = {}): Partial<Check> => ({
  prepare: () => ({ run, ...rest }),
})
const giving = (given: unknown) => running(() => given as never)
const never = new Promise<never>(() => undefined)
const loop: unknown[] = []
loop.push(loop)
let calls = 0

const quotes = 'does not quote'
const bounds = 'has limits for its numbers'
const bad: [string, string, Partial<Check>][] = [
  ['has no description', 'describes itself and its parameters', { description: '' }],
  ['has a parameter without one', 'describes itself', withMember('min', { type: 'integer' })],
  ['takes unknown keys', 'describes itself', { parameters: { ...schema, additionalProperties: true } }],
  ['takes unknown keys', 'refuses parameters', { parameters: { ...schema, additionalProperties: true } }],
  ['takes any type', 'refuses parameters', withMember('max', { description: 'Anything.' })],
  [
    'has a default that does not fit',
    'refuses parameters',
    withMember('min', { type: 'integer', minimum: 1, default: 0, description: 'The fewest letters.' }),
  ],
  ['takes any number', bounds, withMember('max', { type: 'integer', description: 'The most letters.' })],
  ['is of no kind', 'is loaded by the gateway', { kind: 'other' as never }],
  ['has no phases', 'is loaded by the gateway', { phases: [] }],
  [
    'slips on a value that its schema takes',
    'handles every value',
    {
      ...named,
      prepare: ({ name = 'Ada' }: { name?: string }) => {
        const initial = (name[0] as string).toUpperCase()
        return { run: ({ text }) => ({ verdict: text.startsWith(initial) }) }
      },
    },
  ],
  [
    'throws on an empty text',
    'gives a verdict on empty text',
    running(({ text }) => {
      if (text === '') throw new Error('nothing to do')
      return { verdict: true }
    }),
  ],
  [
    'knows nothing but chats',
    'gives a verdict on multi-byte text',
    running(({ request }) => ({ verdict: (request.json.messages as unknown[]).length < 100 })),
  ],
  ['gives nothing', 'gives a verdict on empty text', giving(undefined)],
  ['gives null', 'gives a verdict on empty text', giving(null)],
  ['gives a word', 'gives a verdict on empty text', giving('passed')],
  ['gives no boolean', 'gives a verdict on multi-byte text', giving({ verdict: 1 })],
  ['returns cyclic data', 'gives a verdict on empty text', giving({ verdict: true, data: loop })],
  ['gives data that is not JSON', 'gives a verdict on empty text', giving({ verdict: true, data: 1n })],
  [
    'gives more data than anyone reads',
    'gives a verdict on huge text',
    running(({ text }) => ({ verdict: true, data: [...text.matchAll(/work/g)].map(({ index }) => index) })),
  ],
  [
    'changes a text that does not exist',
    'gives a verdict on empty text',
    giving({ verdict: true, transformed: { texts: new Map([['/nowhere', 'x']]) } }),
  ],
  [
    'returns an unknown kind of change',
    'gives a verdict on empty text',
    giving({ verdict: true, transformed: { text: 'x' } }),
  ],
  [
    'writes into the body',
    'gives a verdict on huge text',
    running(({ request }) => {
      request.json.model = 'other'
      return { verdict: true }
    }),
  ],
  ['hangs', 'gives a verdict on empty text', running(() => never)],
  ['hangs', 'stops when it is cancelled', running(() => never)],
  [
    'waits for a service that does not answer',
    'stops when it is cancelled',
    running(async (_input: CheckInput, io: CheckIo) => {
      await io.fetchJson({ method: 'GET', url: 'https://judge.example' }).catch(() => never)
      return { verdict: true }
    }),
  ],
  [
    'quotes the text',
    quotes,
    running(({ text }) => ({ verdict: false, data: { reason: `not allowed: ${text}` } })),
  ],
  [
    'quotes a piece of it',
    quotes,
    running(({ text }) => ({ verdict: text === '', data: { found: text.slice(9, 40) } })),
  ],
  ['counts its calls', 'gives the same verdict again', running(() => ({ verdict: true, data: ++calls }))],
  [
    'wants the body of a stream',
    'gives the same verdict for a stream',
    running(({ response }) => ({ verdict: response === null || 'choices' in (response.json as object) })),
  ],
  [
    'declares to be windowed and is not',
    'gives the same verdict for a stream',
    running(({ text }) => ({ verdict: text.length === 0 || text.length > 50 }), { windowed: true }),
  ],
  [
    'has a smaller window than it declares',
    'gives the same verdict for a stream',
    running(({ text }) => ({ verdict: !text.includes('nobody there knew') }), {
      windowed: true,
      longestMatch: 5,
    }),
  ],
  [
    'changes texts and does not say so',
    'gives a verdict on multi-byte text',
    running(({ parts }) => ({
      verdict: true,
      transformed: { texts: new Map(parts.map(({ path, text }) => [path, text])) },
    })),
  ],
]

const sample: CheckRun = { parameters: { max: 100 }, text: 'hello' }

interface RequirementsOptions {
  throwsOn?: readonly HardText[]
  run?: typeof sample
}

/** The requirements of a plugin with this check whose title begins so. */
function requirementsOf(check: Check, title = '', { throwsOn = [], run = sample }: RequirementsOptions = {}) {
  const plugin: GuardrailPlugin = { name: 'test', title: 'Test', checks: [check] }
  return checkConformance(plugin, { short: [run] }, { short: throwsOn }).filter((requirement) =>
    requirement.title.startsWith(title),
  )
}

/** The message of a requirement; null if it is met. */
const outcome = (requirement: Requirement | undefined): Promise<unknown> =>
  requirement === undefined
    ? Promise.reject(new Error('there is no such requirement'))
    : requirement.test().then(
        () => null,
        (error: unknown) => error,
      )

describe('the requirements for every check', () => {
  for (const requirement of requirementsOf(good))
    it(`accept a correct check, which ${requirement.title}`, async () => {
      expect(await outcome(requirement)).to.equal(null)
    })

  for (const [name, title, change] of bad)
    it(`reject a check that ${name} ("${title}")`, async () => {
      const [requirement] = requirementsOf({ ...good, ...change }, title)
      expect(await outcome(requirement)).to.be.instanceOf(Error)
    })

  it('let a check declare features that it does not support', () => {
    const titles = requirementsOf(good, '', { throwsOn: ['empty', 'streamed'] }).map(({ title }) => title)
    expect(titles.filter((title) => /empty|stream/.test(title))).to.deep.equal([])
    expect(requirementsOf(good)).to.have.length(titles.length + 2)
  })

  it('allow a check to quote text from its parameters', async () => {
    const name = 'a word of the config, and not of the text'
    const check = { ...good, ...giving({ verdict: false, data: { missing: name } }), ...named }
    const run = { parameters: { max: 1, name }, text: `about ${name}` }
    expect(await outcome(requirementsOf(check, quotes, { run })[0])).to.equal(null)
  })

  it('require a case for every check', async () => {
    const plugin: GuardrailPlugin = { name: 'test', title: 'Test', checks: [good] }
    const results = checkConformance(plugin, {}).filter(({ check }) => check === 'short')
    expect(results.map(({ title }) => title)).to.deep.equal(['has a case'])
    expect(await outcome(results[0])).to.be.instanceOf(Error)
  })

  const broken: [what: string, change: Partial<GuardrailPlugin>][] = [
    ['two checks of one name', { checks: [good, good] }],
    ['a name that no config can write', { name: 'My Rules' }],
    ['no title', { title: '' }],
    [
      'settings without a description',
      { settings: { type: 'object', additionalProperties: false, properties: { key: {} } } as never },
    ],
    ['settings that take anything', { settings: { type: 'object', properties: {} } as never }],
  ]
  for (const [what, change] of broken)
    it(`reject a plugin with ${what}`, async () => {
      const plugin: GuardrailPlugin = { name: 'test', title: 'Test', checks: [good], ...change }
      const [first] = checkConformance(plugin, { short: [sample] })
      expect(await outcome(first)).to.be.instanceOf(Error)
    })
})
