/**
 * Checks see the text of a response request, the conversation that it continues, and the answer. Denied answers are not
 * stored.
 */
import { expect } from 'chai'
import { chatAnswer, chatEvents, sendEvents, sendJson } from '../../support/upstream.ts'
import { eventsOf, openResponses } from './scene.ts'

const without = (word: string, extra: object = {}) => ({
  id: `no-${word}`,
  deny: true,
  contains: { operator: 'none', words: [word] },
  ...extra,
})

describe('guardrails of responses', () => {
  const scene = openResponses()
  const config = (guards: object, provider = '@chats') => ({
    'x-gateway-config': JSON.stringify({ provider, ...guards }),
  })
  const input = (word: string) => config({ input_guardrails: [without(word)] })
  const output = (word: string) => config({ output_guardrails: [without(word)] })

  const denied: [string, object][] = [
    ['a text', { input: 'a secret' }],
    ['instructions', { input: 'x', instructions: 'a secret' }],
    ['a part', { input: [{ role: 'user', content: [{ type: 'input_text', text: 'a secret' }] }] }],
    [
      'the text of the assistant',
      { input: [{ role: 'assistant', content: [{ type: 'output_text', text: 'secret' }] }] },
    ],
    ['a call', { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":"secret"}' }] }],
    ['the result of a call', { input: [{ type: 'function_call_output', call_id: 'c', output: 'secret' }] }],
    [
      'the result of a call, in parts',
      {
        input: [
          { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'secret' }] },
        ],
      },
    ],
    ['reasoning', { input: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'secret' }] }] }],
    ['an item that is not known', { input: [{ type: 'new_call', id: 'n', action: { query: 'secret' } }] }],
  ]
  for (const [name, body] of denied) {
    it(`deny ${name} in the input`, async () => {
      const answer = await scene.ask({ model: 'm', ...(body as object) }, input('secret'))
      expect([answer.status, answer.body]).to.have.nested.property('[1].error.code', 'guardrail_denied')
      expect(answer.status).to.equal(446)
      expect(scene.seen()).to.deep.equal([])
    })
  }

  it('check the conversation that a request continues', async () => {
    const first = await scene.ask({ model: 'm', input: 'a secret' }, config({}))
    const next = { model: 'm', input: 'go on', previous_response_id: first.body.id ?? null }
    expect((await scene.ask(next, input('secret'))).status).to.equal(446)
    const last = { ...without('secret'), contains: { operator: 'none', words: ['go'] } }
    expect((await scene.ask(next, config({ input_guardrails: [last] }))).status).to.equal(446)
  })

  it('deny an answer, which cannot be read later', async () => {
    const answer = await scene.ask({ model: 'm', input: 'a secret' }, output('secret'))
    expect(answer.status).to.equal(446)
    expect(answer.text).not.to.contain('a secret')
  })

  it('deny text in a tool call, in reasoning and in a refusal', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"secret"}' } }
    for (const message of [{ tool_calls: [call] }, { reasoning_content: 'secret' }, { refusal: 'secret' }]) {
      scene.play((_request, response) =>
        sendJson(response, 200, chatAnswer('', { choices: [{ index: 0, message, finish_reason: 'stop' }] })),
      )
      expect((await scene.ask({ model: 'm', input: 'x' }, output('secret'))).status).to.equal(446)
    }
  })

  it('deny a stream before its first byte', async () => {
    const answer = await scene.ask({ model: 'm', input: 'a secret', stream: true }, output('secret'))
    expect(answer.status).to.equal(446)
    expect(answer.body).to.have.nested.property('error.code', 'guardrail_denied')
  })

  it('end a stream in the middle, and its response is not stored', async () => {
    const words = Array.from({ length: 400 }, (_, index) => `word${index} `)
    scene.play((_request, response) => sendEvents(response, chatEvents(...words, 'a se', 'cret')))
    const answer = await scene.ask({ model: 'm', input: 'x', stream: true }, output('secret'))
    expect(answer.status).to.equal(200)
    const events = eventsOf(answer)
    const told = JSON.stringify(events.slice(0, -1))
    expect(told).to.contain('word99 ').and.not.to.contain('a se').and.not.to.contain('cret')
    expect(events[events.length - 1]).to.deep.include({ type: 'error', code: 'guardrail_denied' })
    expect(events[events.length - 1]?.sequence_number).to.equal(events.length - 1)
    const { response } = events[0] as { response: { id: string } }
    expect((await scene.call('GET', `/v1/responses/${response.id}`)).status).to.equal(404)
  })

  it('change an answer, which is stored as it was returned', async () => {
    const redact = {
      id: 'r',
      type: 'mutator',
      regexReplace: { rule: 'secret', redactText: '***' },
    }
    for (const stream of [false, true]) {
      const answer = await scene.ask(
        { model: 'm', input: 'a secret', stream },
        config({ output_guardrails: [redact] }),
      )
      expect(answer.text).to.contain('a ***').and.not.to.contain('a secret')
      const events = stream ? eventsOf(answer) : []
      const given = stream ? events[events.length - 1]?.response : answer.body
      const { id } = given as unknown as { id: string }
      const { hook_results: _, ...kept } = given as Record<string, unknown>
      expect((await scene.call('GET', `/v1/responses/${id}`)).body).to.deep.equal(kept)
    }
  })

  it('report their verdict in an event that clients ignore', async () => {
    const told = without('x', { deny: false })
    const answer = await scene.ask(
      { model: 'm', input: 'x', stream: true },
      { ...config({ output_guardrails: [told] }), 'x-gateway-strict-compat-compliance': 'false' },
    )
    const [verdict, last] = eventsOf(answer).slice(-2)
    expect(verdict?.type).to.equal('keepalive')
    expect(verdict).to.have.nested.property('hook_results.after_request_hooks[0].verdict', false)
    expect(last?.type).to.equal('response.completed')
  })

  it('check a response stored by the provider when it is read', async () => {
    scene.play((_request, response) =>
      sendJson(response, 200, {
        id: 'resp_v',
        output: [
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a secret' }] },
        ],
      }),
    )
    const headers = config({ output_guardrails: [without('secret')] }, '@native')
    expect((await scene.call('GET', '/v1/responses/resp_v', headers)).status).to.equal(446)
    scene.play((_request, response) =>
      sendJson(response, 200, {
        object: 'list',
        data: [{ type: 'message', role: 'user', content: 'secret' }],
      }),
    )
    expect((await scene.call('GET', '/v1/responses/resp_v/input_items', headers)).status).to.equal(446)
    scene.play((_request, response) => sendJson(response, 200, { id: 'resp_v', deleted: true }))
    const words = config(
      { output_guardrails: [{ id: 'w', deny: true, wordCount: { minWords: 3 } }] },
      '@native',
    )
    expect((await scene.call('DELETE', '/v1/responses/resp_v', words)).status).to.equal(200)
  })
})
