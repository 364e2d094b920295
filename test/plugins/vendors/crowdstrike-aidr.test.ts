/** CrowdStrike AIDR against a server that answers as its OpenAPI says (github.com/CrowdStrike/aidr-typescript). */

import plugin from '@gateway/plugin-crowdstrike-aidr'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeFaults, runOnce, type VendorHandler, type VendorRun } from './support.ts'

const envelope = (result: object) => ({ request_id: 'prq_1', status: 'Success', summary: 'done', result })
const allowed = { blocked: false, transformed: false, policy: 'house policy', detectors: {} }
const blocked = {
  blocked: true,
  policy: 'house policy',
  detectors: {
    malicious_prompt: { detected: true, data: { action: 'blocked' } },
    language: { detected: false },
    topic: { detected: true },
  },
}
const masked = (...contents: string[]) => ({
  ...allowed,
  transformed: true,
  guard_output: { messages: contents.map((content) => ({ role: 'user', content })) },
})
const settings = { apiKey: 'c-key' }
const io = (json: unknown) => ({ settings, ...answering(json) })

describeChecks(
  plugin,
  casesOf(
    'guardChatCompletions',
    [
      {
        name: 'passes text that the policy allows',
        io: io(envelope(allowed)),
        verdict: true,
        data: { policy: 'house policy', detected: [] },
        transformedText: null,
      },
      {
        name: 'fails blocked text, and reports the detectors',
        io: io(envelope(blocked)),
        verdict: false,
        data: {
          policy: 'house policy',
          detected: [
            { detector: 'malicious_prompt', action: 'blocked' },
            { detector: 'topic', action: null },
          ],
        },
      },
      {
        name: "applies the vendor's masked texts",
        text: 'mail anna@example.com',
        io: io(envelope(masked('mail <EMAIL>'))),
        verdict: true,
        transformedText: 'mail <EMAIL>',
      },
      {
        name: 'changes nothing in blocked text',
        text: 'mail anna@example.com',
        io: io(envelope({ ...masked('mail <EMAIL>'), blocked: true })),
        verdict: false,
        transformedText: null,
      },
      {
        name: 'is an error when a masked message is missing',
        text: 'mail anna@example.com',
        io: io(envelope(masked())),
        error: 'cannot be read',
      },
      {
        name: 'is an error when the vendor asks to come back later',
        io: io({ status: 'Accepted', result: { location: 'x' } }),
        error: 'cannot be read',
      },
      { name: 'needs a credential', io: answering(envelope(allowed)), error: 'apiKey is missing' },
      {
        name: 'sends no stored credential to a host of the parameters',
        parameters: { baseUrl: 'https://elsewhere.example' },
        io: io(envelope(allowed)),
        error: 'requires apiKey as well',
      },
      {
        name: 'takes credential and host from the parameters together',
        parameters: { baseUrl: 'https://elsewhere.example', apiKey: 'own', timeout: 100 },
        io: answering(envelope(allowed)),
        verdict: true,
      },
    ],
    { text: 'hello there' },
  ),
)

describe('CrowdStrike AIDR over HTTP', () => {
  const guard = checkOf(plugin, 'guardChatCompletions')
  const at =
    (run: Partial<VendorRun> = {}) =>
    (baseUrl: string): VendorRun => ({ text: 'hello there', settings: { ...settings, baseUrl }, ...run })
  const messages = [
    { role: 'developer', content: 'be kind' },
    { role: 'user', content: [{ type: 'text', text: 'mail anna@example.com' }] },
    { role: 'tool', tool_call_id: 'c1', content: 'bob@example.com' },
  ]
  /** Masks texts that look like an address. */
  const masking: VendorHandler = ({ json }) => {
    const { messages: sent } = (json?.guard_input ?? { messages: [] }) as { messages: { content: string }[] }
    const contents = sent.map(({ content }) => content.replace(/\S+@\S+/, '<EMAIL>'))
    return { json: envelope(masked(...contents)) }
  }

  it('sends texts and roles, and no model, user or metadata', async () => {
    const run = at({ request: { model: 'm', user: 'u-1', messages }, metadata: { _user: 'u-1' } })
    const { seen } = await runOnce(guard, () => ({ json: envelope(allowed) }), run)
    expect(seen[0]).to.deep.include({
      method: 'POST',
      path: '/v1/guard_chat_completions',
      json: {
        guard_input: {
          messages: [
            { role: 'system', content: 'be kind' },
            { role: 'user', content: 'mail anna@example.com' },
            { role: 'tool', content: 'bob@example.com' },
          ],
        },
        event_type: 'input',
      },
    })
    expect(seen[0]?.headers.authorization).to.equal('Bearer c-key')
  })

  it('masks each text in place, and keeps the others', async () => {
    const { body } = await runOnce(guard, masking, at({ request: { model: 'm', messages } }))
    expect(body.messages).to.deep.equal([
      messages[0],
      { role: 'user', content: [{ type: 'text', text: 'mail <EMAIL>' }] },
      { role: 'tool', tool_call_id: 'c1', content: '<EMAIL>' },
    ])
  })

  it('masks an answer, and marks it as an answer', async () => {
    const run = at({ phase: 'after', text: 'write to anna@example.com' })
    const { seen, text } = await runOnce(guard, masking, run)
    expect(text).to.equal('write to <EMAIL>')
    expect(seen[0]?.json).to.deep.include({ event_type: 'output' })
  })

  it('sends only the last message for that scope', async () => {
    const run = at({ request: { model: 'm', messages }, parameters: { scope: 'last' } })
    const { seen } = await runOnce(guard, masking, run)
    expect(seen[0]?.json?.guard_input).to.deep.equal({
      messages: [{ role: 'tool', content: 'bob@example.com' }],
    })
  })

  describeFaults(guard, at(), {
    'a failure that looks like a verdict': { status: 500, json: envelope(allowed) },
    'a validation error with status 200': { json: { status: 'ValidationError', result: { errors: [] } } },
    'a result without a verdict': { json: envelope({ policy: 'p' }) },
  })
})
