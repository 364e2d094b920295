/** `/v1/responses/compact` at providers without it: a model writes the summary, and every provider can read it. */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { json } from '../../support/gateway.ts'
import { compactionFaults } from '../../support/open-responses.ts'
import { chatAnswer, type Handler, sendJson } from '../../support/upstream.ts'
import { asTwo, openResponses } from './scene.ts'

const summary = 'They name a file secret-plan.txt.'
const summarise: Handler = (_request, response) => sendJson(response, 200, chatAnswer(summary))

const turns: JsonObject[] = [
  { role: 'developer', content: 'be brief' },
  { role: 'user', content: 'write a file' },
  { type: 'function_call', call_id: 'call_1', name: 'write_file', arguments: '{"path":"secret-plan.txt"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'written' },
  { role: 'assistant', content: [{ type: 'output_text', text: 'done', annotations: [] }] },
  { role: 'user', content: [{ type: 'input_text', text: 'and now?' }] },
]

describe('compaction by the gateway', () => {
  const scene = openResponses({
    configs: {
      checked: {
        provider: '@chats',
        output_guardrails: [{ 'default.contains': { words: ['secret-plan'], operator: 'none' }, deny: true }],
      },
      wary: {
        provider: '@chats',
        input_guardrails: [{ 'default.contains': { words: ['secret-plan'], operator: 'none' }, deny: true }],
      },
    },
  })
  const compact = async (asked: JsonObject, headers: Record<string, string> = {}) => {
    const own = { 'x-gateway-api-key': 'key-of-workspace-one', ...headers }
    const answer = await scene.gateway.post('/v1/responses/compact', { model: '@chats/m', ...asked }, own)
    const body: Record<string, unknown> = await json(answer)
    return { status: answer.status, body }
  }
  const itemsOf = ({ output }: Record<string, unknown>) => output as JsonObject[]
  const messages = (call = 0) => scene.seen()[call]?.json?.messages as { role: string; content: string }[]

  it("answers with the user's messages and one sealed item, in the published shape", async () => {
    scene.play(summarise)
    const { status, body } = await compact({ input: turns, instructions: 'you write files' })
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(compactionFaults(body)).to.deep.equal([])
    const items = itemsOf(body)
    expect(items.map(({ type, role }) => [type, role])).to.deep.equal([
      ['message', 'user'],
      ['message', 'user'],
      ['compaction', undefined],
    ])
    const last = items.at(-1)
    expect(Object.keys(last ?? {})).to.have.members(['id', 'type', 'encrypted_content'])
    expect(JSON.stringify(body)).not.to.contain('secret-plan')
    const [task, transcript] = messages()
    expect([task?.role, transcript?.role]).to.deep.equal(['system', 'user'])
    for (const text of ['you write files', 'be brief', 'write_file', 'secret-plan.txt', 'written', 'done'])
      expect(transcript?.content).to.contain(text)
  })

  it('creates an item that every provider can read in later turns', async () => {
    scene.play(summarise)
    const { body } = await compact({ input: turns })
    const input = [...itemsOf(body), { role: 'user', content: 'next' }]
    for (const model of ['@chats/m', '@native/m']) {
      await scene.ask({ model, input })
      const sent = JSON.stringify(scene.seen().at(-1)?.json)
      expect(sent, model).to.contain(summary).and.not.to.contain('encrypted_content')
    }
  })

  it('replaces the summary of an earlier compaction', async () => {
    scene.play(summarise)
    const first = await compact({ input: turns })
    const second = await compact({ input: [...itemsOf(first.body), { role: 'user', content: 'more' }] })
    expect(messages(1)[1]?.content).to.contain(summary)
    expect(itemsOf(second.body).map(({ type }) => type)).to.deep.equal([
      'message',
      'message',
      'message',
      'compaction',
    ])
  })

  it('continues a stored response', async () => {
    const stored = await scene.ask({ input: 'stored words' })
    scene.play(summarise)
    const { status } = await compact({ previous_response_id: String(stored.body.id) })
    expect(status).to.equal(200)
    expect(messages(1)[1]?.content).to.contain('stored words')
  })

  it('refuses an item that was changed or belongs to another workspace', async () => {
    scene.play(summarise)
    const { body } = await compact({ input: turns })
    const item = itemsOf(body).at(-1) as JsonObject
    const changed = { ...item, encrypted_content: `${String(item.encrypted_content).slice(0, -4)}AAAA` }
    const refusals = [
      await scene.ask({ input: [changed, { role: 'user', content: 'x' }] }),
      await scene.ask({ input: [item, { role: 'user', content: 'x' }] }, asTwo),
    ]
    for (const { status, body: refused } of refusals) {
      const { error } = refused as unknown as { error: JsonObject }
      expect([status, error.code, error.param]).to.deep.equal([
        400,
        'invalid_body',
        '/input/0/encrypted_content',
      ])
    }
  })

  it('shows the summary to guardrails, when it is written and when it is sent back', async () => {
    scene.play(summarise)
    const written = await compact({ input: 'hello' }, { 'x-gateway-config': 'checked' })
    expect(written.status).to.equal(446)
    const { body } = await compact({ input: 'hello' })
    const input = [...itemsOf(body), { role: 'user', content: 'next' }]
    expect((await scene.ask({ input }, { 'x-gateway-config': 'wary' })).status).to.equal(446)
  })

  it('refuses an empty conversation, and an answer without a summary', async () => {
    const empty = await compact({ input: [] })
    expect([empty.status, (empty.body.error as JsonObject).param]).to.deep.equal([400, '/input'])
    scene.play((_request, response) => sendJson(response, 200, chatAnswer('')))
    const silent = await compact({ input: 'hello' })
    expect([silent.status, (silent.body.error as JsonObject).code]).to.deep.equal([
      502,
      'upstream_invalid_response',
    ])
  })
})
