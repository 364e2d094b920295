/**
 * Providers with their own `/v1/responses`: requests are forwarded, and responses are read from the provider that
 * created them.
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { type Handler, sendEvents, sendJson } from '../../support/upstream.ts'
import { asTwo, eventsOf, openResponses, sayBack } from './scene.ts'

/** A response with one of the vendor's own tools. https://platform.openai.com/docs/api-reference/responses/object */
const made: Partial<Response> = {
  id: 'resp_native_1',
  object: 'response',
  status: 'completed',
  output: [
    { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'news' } },
    {
      id: 'msg_n1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'hello', annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 5,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 7,
  },
}

const created = {
  type: 'response.created',
  sequence_number: 0,
  response: { ...made, status: 'in_progress' } as Response,
} satisfies ResponseStreamEvent

const delta = {
  type: 'response.output_text.delta',
  sequence_number: 2,
  item_id: 'msg_n1',
  output_index: 1,
  content_index: 0,
  delta: 'hello',
  logprobs: [],
} satisfies ResponseStreamEvent

const told = [
  created,
  { type: 'response.web_search_call.searching', sequence_number: 1, item_id: 'ws_1', output_index: 0 },
  delta,
  { type: 'response.completed', sequence_number: 3, response: made as Response },
] satisfies ResponseStreamEvent[]

const wire = (events: readonly object[]) =>
  events.map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)

const vendor: Handler = (request, response) => {
  if (request.method === 'DELETE')
    return sendJson(response, 200, { id: made.id, object: 'response', deleted: true })
  if (request.path.includes('/input_items')) return sendJson(response, 200, { object: 'list', data: [] })
  if (request.json?.stream === true || request.path.includes('stream=true'))
    return sendEvents(response, wire(told))
  return sendJson(response, 200, made)
}

describe('responses of a provider with its own Responses API', () => {
  const scene = openResponses({
    configs: {
      both: { strategy: { mode: 'fallback' }, targets: [{ provider: '@native' }, { provider: '@chats' }] },
    },
  })
  beforeEach(() => scene.play(vendor))
  const model = '@native/gpt-x'
  const path = `/v1/responses/${made.id}`
  const bearers = () => scene.seen().map(({ headers }) => headers.authorization)

  it('are forwarded unchanged', async () => {
    const body = {
      model: 'gpt-x',
      input: [
        { type: 'item_reference', id: 'msg_vendor' },
        { role: 'user', content: 'hi' },
      ],
      tools: [{ type: 'web_search' }],
      background: true,
      conversation: 'conv_1',
    }
    const answer = await scene.ask(body, { 'x-gateway-provider': '@native' })
    expect(answer.body).to.deep.equal(made)
    const [seen] = scene.seen()
    expect(seen).to.include({ method: 'POST', path: '/v1/responses', text: JSON.stringify(body) })
    expect(seen?.headers.authorization).to.equal('Bearer sk-native')
  })

  it('are streamed unchanged, up to their last event', async () => {
    const events = wire(told)
    scene.play((_request, response) => sendEvents(response, [...events, 'data: {"left":"over"}\n\n']))
    const answer = await scene.ask({ model, input: 'hi', stream: true })
    expect(answer.text).to.equal(`${events.join('')}data: [DONE]\n\n`)
    const [line] = scene.gateway.logs.slice(-1)
    expect(line).to.include({ prompt_tokens: 5, completion_tokens: 2 })
  })

  it('are read later with the credential that created them', async () => {
    await scene.ask({ model, input: 'hi' })
    expect((await scene.call('GET', path)).body).to.deep.equal(made)
    const list = await scene.call(
      'GET',
      `${path}/input_items?limit=2&order=asc&after=msg_1&include=a&include[]=b`,
    )
    expect(list.body).to.deep.equal({ object: 'list', data: [] })
    const streamed = await scene.call('GET', `${path}?stream=true&starting_after=1`)
    expect(eventsOf(streamed)).to.deep.equal(told)
    const deleted = await scene.call('DELETE', path)
    expect(deleted.body).to.deep.equal({ id: made.id, object: 'response', deleted: true })
    expect(
      scene.seen().map(({ method, path: at, text }) => [method, at, method === 'POST' ? '' : text]),
    ).to.deep.equal([
      ['POST', '/v1/responses', ''],
      ['GET', path, ''],
      ['GET', `${path}/input_items?after=msg_1&include%5B%5D=a&include%5B%5D=b&limit=2&order=asc`, ''],
      ['GET', `${path}?starting_after=1&stream=true`, ''],
      ['DELETE', path, ''],
    ])
    expect(new Set(bearers())).to.deep.equal(new Set(['Bearer sk-native']))
    // The owner of the response is now unknown.
    expect((await scene.call('GET', path)).status).to.equal(404)
    expect(scene.seen()).to.have.length(5)
  })

  it('do not count their tokens again when they are read', async () => {
    await scene.ask({ model, input: 'hi' })
    await scene.call('GET', path)
    expect(scene.gateway.logs[scene.gateway.logs.length - 1]).not.to.have.property('prompt_tokens')
  })

  it('created by a stream can be read from its first event', async () => {
    const begun = { ...created, response: { ...made, id: 'resp_cut' } }
    scene.play((_request, response) => sendEvents(response, wire([begun, delta])))
    expect((await scene.ask({ model, input: 'hi', stream: true })).text).to.contain('"error"')
    scene.play(vendor)
    expect((await scene.call('GET', '/v1/responses/resp_cut')).status).to.equal(200)
  })

  it('are read from the target of the request when their owner is unknown', async () => {
    const at = '/v1/responses/resp_elsewhere'
    const headers = { 'x-gateway-provider': '@native' }
    expect((await scene.call('GET', at, headers)).body).to.deep.equal(made)
    expect((await scene.call('GET', at, { 'x-gateway-config': 'both' })).body).to.deep.equal(made)
    expect((await scene.call('GET', at, { 'x-gateway-provider': '@chats' })).status).to.equal(404)
    scene.play((_request, response) => sendJson(response, 404, { error: { message: 'no such response' } }))
    expect((await scene.call('GET', at, headers)).body).to.have.nested.property(
      'error.message',
      'no such response',
    )
  })

  it('cannot be read by another workspace that shares the credential', async () => {
    await scene.ask({ model, input: 'hi' })
    const headers = { ...asTwo, 'x-gateway-provider': '@native' }
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/input_items`],
      ['DELETE', path],
    ] as const)
      expect((await scene.call(method, at, headers)).status, `${method} ${at}`).to.equal(404)
    const next = await scene.ask({ model, input: 'x', previous_response_id: made.id ?? null }, asTwo)
    expect(next.status).to.equal(404)
    // Another workspace's response with the same id has no effect on this one.
    await scene.ask({ model, input: 'hi' }, asTwo)
    expect((await scene.call('GET', path)).status).to.equal(200)
    expect(scene.seen()).to.have.length(3)
  })

  it("continue one of the provider's own conversations at the provider", async () => {
    await scene.ask({ model, input: 'x', previous_response_id: 'resp_theirs' })
    expect(scene.seen()[0]?.json).to.deep.equal({
      model: 'gpt-x',
      input: 'x',
      previous_response_id: 'resp_theirs',
    })
  })

  it("continue a conversation stored by the gateway with its items, without another provider's reasoning", async () => {
    scene.play((_request, response) =>
      sendJson(response, 200, {
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'two', reasoning_content: 'hm' },
            finish_reason: 'stop',
          },
        ],
      }),
    )
    const first = await scene.ask({ input: 'one' })
    expect(first.body.output).to.have.nested.property('[0].type', 'reasoning')
    scene.play(vendor)
    await scene.ask({ model, input: 'three', previous_response_id: first.body.id ?? null })
    const sent = scene.seen()[1]?.json as JsonObject
    expect(sent).not.to.have.property('previous_response_id')
    expect((sent.input as { role: string; content: unknown }[]).map(({ role }) => role)).to.deep.equal([
      'user',
      'assistant',
      'user',
    ])
  })

  it('that fail before any content fall back to the next target', async () => {
    const failed = {
      type: 'response.failed',
      sequence_number: 1,
      response: { ...made, error: { code: 'server_error', message: 'down' } },
    }
    scene.play((request, response, count) =>
      request.path.endsWith('/responses')
        ? sendEvents(response, wire([created, failed]))
        : sayBack(request, response, count),
    )
    const body = { model: 'm', input: 'hi there', stream: true }
    const answer = await scene.ask(body, { 'x-gateway-config': 'both' })
    const events = eventsOf(answer)
    expect(events[events.length - 1]).to.have.nested.property(
      'response.output[0].content[0].text',
      'hi there',
    )
    expect(answer.headers.get('x-gateway-provider')).to.equal('acme')
    const alone = await scene.ask({ ...body, model })
    expect([alone.status, alone.body]).to.deep.equal([
      500,
      {
        error: { message: 'down', type: 'upstream_error', param: null, code: 'server_error' },
        provider: 'openai',
      },
    ])
  })

  for (const [name, event] of [
    [
      'as the format has it',
      { type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null },
    ],
    [
      'with its error inside',
      { type: 'error', error: { code: 'rate_limit_exceeded', message: 'slow down' } },
    ],
  ] as const) {
    it(`end with an error in the middle of the stream, ${name}`, async () => {
      scene.play((_request, response) =>
        sendEvents(response, wire([created, delta, { ...event, sequence_number: 3 }])),
      )
      const events = eventsOf(await scene.ask({ model, input: 'hi', stream: true }))
      expect(events).to.have.length(3)
      expect(events[2]).to.deep.include({
        type: 'error',
        sequence_number: 3,
        code: 'rate_limit_exceeded',
        message: 'slow down',
        param: null,
        error: { type: 'upstream_error', code: 'rate_limit_exceeded', message: 'slow down', param: null },
      })
    })
  }
})
