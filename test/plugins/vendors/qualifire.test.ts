/** Qualifire against a server that answers as github.com/qualifire-dev/qualifire-python-sdk (types.py) says. */
import type { JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-qualifire'
import { type CheckRow, casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeFaults, runOnce, type VendorRun } from './support.ts'

const result = (flagged?: boolean) => ({
  name: 'pii',
  label: 'found',
  score: 12,
  confidence_score: 0.9,
  claim: 'c',
  quote: 'hello there',
  reason: 'it says hello there',
  ...(flagged === undefined ? {} : { flagged }),
})
const answer = (status: string, ...flags: (boolean | undefined)[]) => ({
  status,
  score: 88,
  evaluationResults: [{ type: 'check', results: flags.map(result) }],
})
const clean = answer('success', false)
const flagged = answer('success', false, true)
const settings = { apiKey: 'q-key' }
const io = (json: unknown) => ({ settings, ...answering(json) })
const finding = { type: 'check', name: 'pii', label: 'found', score: 12 }

const rows: CheckRow[] = [
  { name: 'passes when nothing is flagged', io: io(clean), verdict: true, data: { found: [] } },
  {
    name: 'fails when something is, without quoting it',
    io: io(flagged),
    verdict: false,
    data: { found: [finding] },
  },
  { name: 'passes by the status of an older server', io: io(answer('success', undefined)), verdict: true },
  { name: 'fails by the status of an older server', io: io(answer('failed', undefined)), verdict: false },
  { name: 'passes when there was nothing to find', io: io(answer('success')), verdict: true },
  { name: 'is an error for another status', io: io(answer('pending')), error: 'cannot be read' },
  { name: 'needs a credential', io: answering(clean), error: 'apiKey is missing' },
  {
    name: 'takes the credential from the parameters',
    parameters: { apiKey: 'own', timeout: 20_000 },
    io: answering(clean),
    verdict: true,
  },
]
const common = { text: 'hello there' }
const withMode: CheckRow[] = [
  { name: 'takes a mode', parameters: { mode: 'quality' }, io: io(clean), verdict: true },
  { name: 'refuses another mode', parameters: { mode: 'lazy' }, io: io(clean), error: 'mode' },
]

const tools = [
  { type: 'function', function: { name: 'weather', description: 'd', parameters: { type: 'object' } } },
  { type: 'web_search' },
]
const call = (written: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: written } }],
})
const toolRun = {
  request: { model: 'm', messages: [{ role: 'user', content: 'in Bern?' }], tools },
  response: { choices: [{ index: 0, message: call('{"city":"Bern"}') }] },
}
const policies = ['No discounts.']

describeChecks(plugin, [
  ...['contentModeration', 'pii', 'promptInjections'].flatMap((id) => casesOf(id, rows, common)),
  ...['hallucinations', 'grounding'].flatMap((id) => casesOf(id, [...rows, ...withMode], common)),
  ...casesOf(
    'policy',
    [
      { name: 'passes what keeps to the policies', io: io(clean), verdict: true },
      { name: 'fails what does not', io: io(flagged), verdict: false, data: { found: [finding] } },
      { name: 'needs policies', parameters: { policies: [] }, io: io(clean), error: 'policies' },
      {
        name: 'is an error without an answer',
        parameters: { policies, policy_target: 'output' },
        io: io(flagged),
        error: 'no answer yet',
      },
      { name: 'needs a credential', io: answering(clean), error: 'apiKey is missing' },
      {
        name: 'refuses another mode',
        parameters: { policies, mode: 'lazy' },
        io: io(clean),
        error: 'mode',
      },
    ],
    { parameters: { policies }, ...common },
  ),
  ...casesOf(
    'toolUseQuality',
    [
      {
        name: 'passes a good call',
        io: io(clean),
        verdict: true,
        data: { choices: [{ found: [] }] },
      },
      {
        name: 'fails a bad one',
        io: io(flagged),
        verdict: false,
        data: { choices: [{ found: [finding] }] },
      },
      {
        name: 'passes without tools',
        request: { model: 'm', messages: [] },
        io: io(flagged),
        verdict: true,
        data: { skipped: 'no tools' },
      },
      {
        name: 'is an error for tools in another form',
        endpoint: 'messages',
        request: { model: 'm', messages: [], tools: [{ name: 'weather', input_schema: {} }] },
        response: { content: [] },
        io: io(flagged),
        error: 'chat completions only',
      },
      ...withMode,
    ],
    toolRun,
  ),
])

describe('Qualifire over HTTP', () => {
  const at =
    (run: Partial<VendorRun> = {}) =>
    (baseUrl: string): VendorRun => ({ ...common, settings: { ...settings, baseUrl }, ...run })
  const sent = async (id: string, run: Partial<VendorRun>) =>
    (await runOnce(checkOf(plugin, id), () => ({ json: clean }), at(run))).seen.map(({ json }) => json)
  const after: Partial<VendorRun> = {
    phase: 'after',
    request: { model: 'm', messages: [{ role: 'user', content: 'where?' }], user: 'u' },
  }

  it('is called at its address with its key', async () => {
    const { seen } = await runOnce(checkOf(plugin, 'pii'), () => ({ json: clean }), at())
    expect(seen[0]).to.include({ method: 'POST', path: '/api/evaluation/evaluate' })
    expect(seen[0]?.headers['x-qualifire-api-key']).to.equal('q-key')
  })

  const input = 'hello there'
  const output = 'hello there'
  const requests: [id: string, run: Partial<VendorRun>, json: JsonObject][] = [
    ['contentModeration', {}, { input, content_moderation_check: true }],
    ['contentModeration', after, { output, content_moderation_check: true }],
    ['pii', {}, { input, pii_check: true }],
    ['pii', after, { output, pii_check: true }],
    ['promptInjections', {}, { input, prompt_injections: true }],
    [
      'hallucinations',
      after,
      { input: 'where?', output, hallucinations_check: true, hallucinations_mode: 'balanced' },
    ],
    [
      'grounding',
      { ...after, parameters: { mode: 'speed' } },
      { input: 'where?', output, grounding_check: true, grounding_mode: 'speed' },
    ],
    [
      'policy',
      { parameters: { policies, mode: 'quality' } },
      { input, assertions: policies, assertions_mode: 'quality', policy_target: 'input' },
    ],
    [
      'policy',
      { ...after, parameters: { policies } },
      {
        input: 'where?',
        output,
        assertions: policies,
        assertions_mode: 'balanced',
        policy_target: 'both',
      },
    ],
    [
      'policy',
      { ...after, parameters: { policies, policy_target: 'output' } },
      { output, assertions: policies, assertions_mode: 'balanced', policy_target: 'output' },
    ],
    [
      'policy',
      { ...after, parameters: { policies, policy_target: 'input' } },
      { input: 'where?', assertions: policies, assertions_mode: 'balanced', policy_target: 'input' },
    ],
  ]
  for (const [index, [id, run, json]] of requests.entries())
    it(`sends only the data that ${id} needs (${index + 1})`, async () => {
      expect(await sent(id, run)).to.deep.equal([json])
    })

  it('sends only the last message for that scope', async () => {
    const messages = ['one', 'two'].map((content) => ({ role: 'user', content }))
    const run = { request: { model: 'm', messages }, parameters: { scope: 'last' } }
    expect(await sent('promptInjections', run)).to.deep.equal([{ input: 'two', prompt_injections: true }])
  })

  it('sends the tools, the conversation and the calls of each choice', async () => {
    const choices = [call('{"city":"Bern"}'), call('no JSON')].map((message, index) => ({ index, message }))
    const json = await sent('toolUseQuality', { ...toolRun, phase: 'after', response: { choices } })
    const expected = [{ city: 'Bern' }, { raw: 'no JSON' }].map((written) => ({
      messages: [
        { role: 'user', content: 'in Bern?' },
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'weather', arguments: written }] },
      ],
      available_tools: [{ name: 'weather', description: 'd', parameters: { type: 'object' } }],
      tool_use_quality_check: true,
      tuq_mode: 'balanced',
    }))
    expect(json).to.have.deep.members(expected)
  })

  it('is not called without text', async () => {
    expect(await sent('pii', { text: '' })).to.deep.equal([])
    expect(await sent('grounding', { ...after, text: '' })).to.deep.equal([])
  })

  for (const id of ['contentModeration', 'grounding'])
    describeFaults(checkOf(plugin, id), at(), {
      'a failure that looks like a verdict': { status: 500, json: clean },
    })
  describeFaults(checkOf(plugin, 'policy'), at({ parameters: { policies } }))
  describeFaults(checkOf(plugin, 'toolUseQuality'), at(toolRun), {
    'results of another shape': { json: { evaluationResults: [{ type: 'x' }], status: 'success' } },
  })
})
