/** Aporia Guardrails. Answers: https://gr-docs.aporia.com/fundamentals/integration/rest-api */

import plugin from '@gateway/plugin-aporia'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeDiscretion, describeFaults, runOnce } from './support.ts'

const check = checkOf(plugin, 'validateProject')

const answer = (action: string) => ({
  action,
  revised_response: 'Something about a bank account',
  explain_log: [],
  policy_execution_result: {
    policy_log: [{ policy_id: '001', policy_type: 'pii_on_prompt', target: 'prompt' }],
    action: { type: action, revised_message: 'Something about a bank account' },
  },
})

const io = (reply: unknown, settings: object = { apiKey: 'k' }) => ({
  settings: settings as never,
  ...answering(reply),
})
const text = 'Something about a bank account'
const parameters = { projectID: 'p-1' }
const data = (action: string) => ({
  action,
  policies: [{ policy_id: '001', policy_type: 'pii_on_prompt' }],
})

describeChecks(
  plugin,
  casesOf(
    'validateProject',
    [
      { name: 'passes what passes through', io: io(answer('passthrough')), verdict: true },
      ...['block', 'modify', 'rephrase'].map((action) => ({
        name: `fails on ${action}, and does not say the text`,
        io: io(answer(action)),
        verdict: false,
        data: data(action),
      })),
      { name: 'asks nothing about no text', text: '', io: io(null), verdict: true },
      { name: 'wants a project', parameters: {}, io: io(null), error: 'projectID' },
      { name: 'wants a key', io: io(null, {}), error: 'apiKey is missing' },
    ],
    { text, parameters },
  ),
)

const run = (origin: string) => ({ settings: { apiKey: 'k', baseUrl: origin }, parameters, text })
const handler = () => ({ json: answer('passthrough') })

describe('aporia.validateProject at the vendor', () => {
  const messages = [
    { role: 'developer', content: 'be kind' },
    { role: 'user', content: 'one' },
    { role: 'tool', tool_call_id: '1', content: 'two' },
  ]

  it('sends the conversation for the prompt', async () => {
    const { seen } = await runOnce(check, handler, (origin) => ({ ...run(origin), request: { messages } }))
    expect(seen[0]).to.deep.include({
      method: 'POST',
      path: '/p-1/validate',
      json: {
        messages: [
          { role: 'system', content: 'be kind' },
          { role: 'user', content: 'one' },
          { role: 'other', content: 'two' },
        ],
        validation_target: 'prompt',
        explain: false,
      },
    })
    expect(seen[0]?.headers['x-aporia-api-key']).to.equal('k')
  })

  it('sends only the last message when set so, with its own key', async () => {
    const { seen } = await runOnce(check, handler, (origin) => ({
      ...run(origin),
      parameters: { ...parameters, scope: 'last', apiKey: 'mine' },
      request: { messages },
    }))
    expect(seen[0]?.json?.messages).to.deep.equal([{ role: 'user', content: 'two' }])
    expect(seen[0]?.headers['x-aporia-api-key']).to.equal('mine')
  })

  it('sends the prompt with the answer, which the vendor requires', async () => {
    const { seen } = await runOnce(check, handler, (origin) => ({ ...run(origin), phase: 'after' }))
    expect(seen[0]?.json).to.deep.equal({
      messages: [{ role: 'user', content: 'Hello' }],
      validation_target: 'response',
      response: text,
      explain: false,
    })
  })
})

describeDiscretion(check, handler, { run, sendsPrompt: true })
describeFaults(check, run, { 'an unknown action': { json: answer('maybe') } })
