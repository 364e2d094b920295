/** Stored responses of translated requests can be continued, referred to, read, listed and deleted. */
import { expect } from 'chai'
import { chatAnswer, chatEvents, sendEvents, sendJson } from '../../support/upstream.ts'
import { asTwo, eventsOf, openResponses } from './scene.ts'

describe('stored responses of translated requests', () => {
  const scene = openResponses({
    configs: {
      forgetful: { provider: '@chats', override_params: { store: false } },
    },
  })
  const messages = (call = 0) => scene.seen()[call]?.json?.messages

  it('continue a conversation, without the earlier instructions', async () => {
    const first = await scene.ask({ input: 'one', instructions: 'be kind' })
    const second = await scene.ask({ input: 'two', previous_response_id: first.body.id ?? null })
    const third = await scene.ask({
      input: 'three',
      previous_response_id: second.body.id ?? null,
      instructions: 'now',
    })
    expect(third.status).to.equal(200)
    expect(messages(2)).to.deep.equal([
      { role: 'system', content: 'now' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'two' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ])
    expect(third.body.previous_response_id).to.equal(second.body.id)
    expect(first.body.previous_response_id).to.equal(null)
  })

  it('continue a streamed response with a stream', async () => {
    const first = eventsOf(await scene.ask({ input: 'one two', stream: true }))
    const { response } = first[first.length - 1] as { response: { id: string } }
    const second = eventsOf(await scene.ask({ input: 'x', stream: true, previous_response_id: response.id }))
    expect(messages(1)).to.deep.equal([
      { role: 'user', content: 'one two' },
      { role: 'assistant', content: 'one two' },
      { role: 'user', content: 'x' },
    ])
    for (const event of [second[0], second[second.length - 1]])
      expect(event).to.have.nested.property('response.previous_response_id', response.id)
  })

  it('match function results with the calls of the earlier response', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }
    scene.play((_request, response) =>
      sendJson(
        response,
        200,
        chatAnswer('', {
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: null, tool_calls: [call] },
              finish_reason: 'tool_calls',
            },
          ],
        }),
      ),
    )
    const tools = [{ type: 'function', name: 'f', parameters: {}, strict: false }]
    const first = await scene.ask({ input: 'call it', tools })
    expect(first.body.output).to.have.nested.property('[0].call_id', 'call_1')
    await scene.ask({
      previous_response_id: first.body.id ?? null,
      tools,
      input: [{ type: 'function_call_output', call_id: 'call_1', output: '2' }],
    })
    expect(messages(1)).to.deep.equal([
      { role: 'user', content: 'call it' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '2' },
    ])
  })

  it('resolve items by their id', async () => {
    const first = await scene.ask({ input: 'one' })
    const id = (first.body.output as unknown as { id: string }[])[0]?.id ?? ''
    await scene.ask({
      input: [
        { type: 'item_reference', id },
        { role: 'user', content: 'two' },
      ],
    })
    expect(messages(1)).to.deep.equal([
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'two' },
    ])
    const unknown = await scene.ask({ input: [{ type: 'item_reference', id: 'msg_x_0' }] })
    expect(unknown.body).to.have.nested.property('error.param', '/input/0/id')
  })

  it("return a provider's signed reasoning to it", async () => {
    const thoughts = [
      { type: 'thinking', thinking: 'hm', signature: 'signed' },
      { type: 'redacted_thinking', data: 'sealed' },
    ]
    const use = { type: 'tool_use', id: 'call_1', name: 'f', input: {} }
    scene.play((_request, response) =>
      sendJson(response, 200, {
        id: 'msg_1',
        model: 'm',
        content: [...thoughts, use],
        stop_reason: 'tool_use',
      }),
    )
    const target = { provider: 'anthropic', api_key: 'sk', custom_host: scene.upstream.url }
    const headers = {
      'x-gateway-config': JSON.stringify(target),
      'x-gateway-strict-compat-compliance': 'false',
    }
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }]
    const first = await scene.ask({ model: 'm', input: 'x', tools }, headers)
    expect(first.body.output).to.have.deep.nested.property('[0].summary', [
      { type: 'summary_text', text: 'hm' },
    ])
    await scene.ask(
      {
        model: 'm',
        tools,
        previous_response_id: first.body.id ?? null,
        input: [{ type: 'function_call_output', call_id: 'call_1', output: '2' }],
      },
      headers,
    )
    expect(messages(1)).to.have.deep.nested.property('[1]', {
      role: 'assistant',
      content: [...thoughts, use],
    })
  })

  it('can be read, and streamed again', async () => {
    const { body } = await scene.ask({ input: 'one two', metadata: { a: 'b' } })
    const path = `/v1/responses/${body.id}`
    expect((await scene.call('GET', path)).body).to.deep.equal(body)
    const events = eventsOf(await scene.call('GET', `${path}?stream=true`))
    expect(events[0]?.type).to.equal('response.created')
    expect(events[events.length - 1]?.response).to.deep.equal(body)
    const rest = eventsOf(await scene.call('GET', `${path}?stream=true&starting_after=3`))
    expect(rest).to.deep.equal(events.slice(4))
    expect(scene.seen()).to.have.length(1)
  })

  it('list the input items of a response, page by page', async () => {
    const first = await scene.ask({ input: 'one' })
    const second = await scene.ask({
      previous_response_id: first.body.id ?? null,
      input: [
        { role: 'user', content: 'two' },
        { role: 'user', content: [{ type: 'input_text', text: 'three' }] },
      ],
    })
    const path = `/v1/responses/${second.body.id}/input_items`
    const whole = (await scene.call('GET', `${path}?order=asc`)).body as Record<string, unknown>
    const data = whole.data as { id: string; content: { text: string }[] }[]
    expect(data.map(({ content }) => content[0]?.text)).to.deep.equal(['one', 'one', 'two', 'three'])
    expect(new Set(data.map(({ id }) => id)).size).to.equal(4)
    expect(whole).to.include({ object: 'list', has_more: false, first_id: data[0]?.id, last_id: data[3]?.id })
    const newest = (await scene.call('GET', `${path}?limit=3`)).body as Record<string, unknown>
    expect(newest.data).to.deep.equal([...data].reverse().slice(0, 3))
    expect(newest.has_more).to.equal(true)
    const rest = (await scene.call('GET', `${path}?limit=3&after=${newest.last_id}`)).body as Record<
      string,
      unknown
    >
    expect(rest.data).to.deep.equal(data.slice(0, 1))
    expect(rest.has_more).to.equal(false)
    const before = (await scene.call('GET', `${path}?order=asc&limit=1&before=${data[2]?.id}`)).body
    expect(before).to.have.deep.property('data', data.slice(1, 2))
  })

  it('refuse invalid query parameters', async () => {
    const { body } = await scene.ask({ input: 'one' })
    const wrong = await scene.call('GET', `/v1/responses/${body.id}/input_items?limit=0&order=up`)
    expect(wrong.status).to.equal(400)
    expect(wrong.body).to.have.nested.property('error.details').with.length(2)
    const cursor = await scene.call('GET', `/v1/responses/${body.id}/input_items?after=msg_x`)
    expect(cursor.body).to.have.deep.nested.property('error.param', 'query/after')
    const stream = await scene.call('GET', `/v1/responses/${body.id}?stream=yes`)
    expect(stream.body).to.have.nested.property('error.code', 'invalid_query')
  })

  it('are gone after they were deleted', async () => {
    const { body } = await scene.ask({ input: 'one' })
    const path = `/v1/responses/${body.id}`
    const deleted = await scene.call('DELETE', path)
    expect([deleted.status, deleted.body]).to.deep.equal([
      200,
      { id: body.id, object: 'response', deleted: true },
    ])
    for (const method of ['GET', 'DELETE']) expect((await scene.call(method, path)).status).to.equal(404)
    const next = await scene.ask({ input: 'two', previous_response_id: body.id ?? null })
    expect(next.status).to.equal(404)
    expect(next.body).to.have.nested.property('error.param', '/previous_response_id')
  })

  it('cannot be read by another workspace', async () => {
    const { body } = await scene.ask({ input: 'one' })
    const path = `/v1/responses/${body.id}`
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/input_items`],
      ['DELETE', path],
    ] as const)
      expect((await scene.call(method, at, asTwo)).status, `${method} ${at}`).to.equal(404)
    const next = await scene.ask({ input: 'two', previous_response_id: body.id ?? null }, asTwo)
    expect(next.status).to.equal(404)
    const id = (body.output as unknown as { id: string }[])[0]?.id ?? ''
    const referred = await scene.ask({ input: [{ type: 'item_reference', id }] }, asTwo)
    expect(referred.status).to.equal(400)
    expect((await scene.call('GET', path)).status).to.equal(200)
  })

  it('are not created when storing is not allowed', async () => {
    const plain = await scene.ask({ input: 'one', store: false })
    expect(plain.body.store).to.equal(false)
    expect((await scene.call('GET', `/v1/responses/${plain.body.id}`)).status).to.equal(404)
    const forced = await scene.ask({ model: 'm', input: 'one' }, { 'x-gateway-config': 'forgetful' })
    expect(forced.body.store).to.equal(false)
    expect((await scene.call('GET', `/v1/responses/${forced.body.id}`)).status).to.equal(404)
  })

  it('do not include streams that broke off', async () => {
    scene.play((_request, response) => {
      sendEvents(response, chatEvents('one', 'two').slice(0, 2))
    })
    const events = eventsOf(await scene.ask({ input: 'x', stream: true }))
    const last = events[events.length - 1]
    expect(last).to.include({ type: 'error', code: 'upstream_invalid_response' })
    expect(last?.sequence_number).to.equal(events.length - 1)
    const { response } = events[0] as { response: { id: string } }
    expect((await scene.call('GET', `/v1/responses/${response.id}`)).status).to.equal(404)
  })

  it('answer 404 on unknown routes', async () => {
    expect((await scene.call('PUT', '/v1/responses/resp_x')).status).to.equal(405)
    expect((await scene.call('GET', '/v1/responses')).status).to.equal(405)
    expect((await scene.call('GET', '/v1/responses/resp_x')).body).to.have.nested.property(
      'error.code',
      'not_found',
    )
    expect((await scene.call('GET', '/v1/responses/a%2F..%2Fb')).status).to.equal(404)
  })
})
