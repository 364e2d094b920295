/** `/v1/messages` at a provider that has only chat completions. */
import { expect } from 'chai'
import { openScene } from '../../support/scene.ts'
import { chatChunk, chatEvents, sendEvents, sendJson } from '../../support/upstream.ts'
import { ask, askMessages, eventsOf, says, targetOf, unreported, unreportedUsage } from './fixtures.ts'
import { followMessage } from './message-order.ts'

const usageEvent = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } })}\n\n`

describe('/v1/messages at a provider with only chat completions', () => {
  const scene = openScene()
  const config = (extra = {}) => targetOf(scene, 'translated', { name: 'a', extra })

  it('sends a chat completion request, and returns a message', async () => {
    const reply = await askMessages(scene, config(), {
      body: ask([{ type: 'text', text: 'hello' }], { system: 'be kind' }),
    })
    expect(scene.seen('a').path).to.equal('/a/v1/chat/completions')
    expect(scene.seen('a').json).to.deep.equal({
      model: 'test-model',
      max_completion_tokens: 100,
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: 'hello' },
      ],
    })
    expect(reply.status).to.equal(200)
    expect(reply.body).to.deep.equal({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'test-model',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      ...unreported,
      usage: {
        input_tokens: 3,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 2,
        ...unreportedUsage,
      },
    })
    expect(scene.gateway.logs.at(-1)).to.include({
      endpoint: 'messages',
      prompt_tokens: 3,
      completion_tokens: 2,
    })
  })

  const removed: [name: string, body: object][] = [
    ['reasoning_effort', { thinking: { type: 'enabled', budget_tokens: 2048 }, max_tokens: 4096 }],
    ['reasoning_effort', { output_config: { effort: 'high' } }],
    ['max_completion_tokens', {}],
    ['stop', { stop_sequences: ['end'] }],
    ['user', { metadata: { user_id: 'one' } }],
    [
      'parallel_tool_calls',
      {
        tools: [{ name: 'look', input_schema: { type: 'object' } }],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
    ],
    ['tools', { tools: [{ name: 'look', input_schema: { type: 'object' } }] }],
    ['system', { system: 'be kind' }],
  ]
  for (const [name, body] of removed)
    it(`leaves out ${name}, which override_params sets to null, for ${JSON.stringify(body)}`, async () => {
      for (const stream of [false, true]) {
        if (stream) scene.answers.a = (_request, response) => sendEvents(response, chatEvents('ok'))
        const asked = ask('x', { ...body, stream })
        const reply = await askMessages(scene, config({ override_params: { [name]: null } }), { body: asked })
        expect(reply.status, reply.text).to.equal(200)
        const { json } = scene.seen('a')
        expect(json).not.to.have.any.keys(name)
        if (name === 'system') expect(json?.messages).to.deep.equal([{ role: 'user', content: 'x' }])
      }
    })

  it('keeps a parameter that a nearer node sets again', async () => {
    const inner = config({ override_params: { stop: ['end'] } })
    const outer = { strategy: { mode: 'single' }, targets: [inner], override_params: { stop: null } }
    await askMessages(scene, outer, { body: ask('x') })
    expect(scene.seen('a').json).to.deep.include({ stop: ['end'] })
  })

  it('streams a message, and requests usage from the provider', async () => {
    const [first = '', ...rest] = chatEvents('Hel', 'lo')
    const end = rest.pop() ?? ''
    scene.answers.a = (_request, response) => sendEvents(response, [first, ...rest, usageEvent, end])
    const reply = await askMessages(scene, config(), { body: ask('x', { stream: true }) })
    expect(scene.seen('a').json).to.deep.include({ stream: true, stream_options: { include_usage: true } })
    const events = eventsOf(reply)
    for (const { name, data } of events) expect(name).to.equal(data.type)
    const told = followMessage(events.map(({ data }) => data))
    expect(told).to.deep.include({ isComplete: true, stopReason: 'end_turn' })
    expect(events[0]?.data.message).to.include({ id: 'msg_1' })
    expect(told.content).to.deep.equal([{ type: 'text', text: 'Hello' }])
    expect(told.usage).to.include({ input_tokens: 7, output_tokens: 2 })
    expect(reply.text).not.to.contain('[DONE]')
    expect(scene.gateway.logs.at(-1)).to.include({ prompt_tokens: 7, completion_tokens: 2 })
  })

  it('streams the same message, however the bytes are split', async () => {
    const bytes = Buffer.from(chatEvents('Hé', 'l"lo').join(''))
    const texts = new Set<string>()
    for (const every of [1, 5, 64, 1000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / every) }, (_, index) =>
        bytes.subarray(index * every, (index + 1) * every),
      )
      scene.answers.a = (_request, response) => sendEvents(response, pieces)
      texts.add((await askMessages(scene, config(), { body: ask('x', { stream: true }) })).text)
    }
    expect(texts.size).to.equal(1)
    expect([...texts][0]).to.contain('message_stop')
  })

  it('sends each event as soon as it arrives', async () => {
    let release: () => void = () => undefined
    const waits = new Promise<void>((resolve) => {
      release = resolve
    })
    scene.answers.a = async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const [begin = '', piece = '', ...rest] = chatEvents('now', 'later')
      response.write(begin + piece)
      await waits
      response.end(rest.join(''))
    }
    const response = await scene.gateway.post('/v1/messages', ask('x', { stream: true }), {
      'x-gateway-config': JSON.stringify(config()),
    })
    const reader = response.body?.getReader()
    let text = ''
    while (!text.includes('now')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
    expect(text).not.to.contain('later')
    release()
    for (let step = await reader?.read(); step?.done === false; step = await reader?.read())
      text += Buffer.from(step.value).toString()
    expect(text).to.contain('later').and.to.contain('message_stop')
  })

  it("applies override_params and conditions to the caller's format", async () => {
    const query = { 'params.max_tokens': 100, 'params.system': 'be kind' }
    const routed = {
      strategy: { mode: 'conditional', conditions: [{ query, then: 'a' }], default: 'b' },
      targets: [
        { ...config(), name: 'a', override_params: { stop_sequences: ['END'], system: null } },
        { ...targetOf(scene, 'translated', { name: 'b' }), name: 'b' },
      ],
    }
    await askMessages(scene, routed, { body: ask('x', { system: 'be kind' }) })
    expect(scene.calls()).to.deep.equal(['a'])
    expect(scene.seen('a').json).to.deep.include({
      stop: ['END'],
      messages: [{ role: 'user', content: 'x' }],
    })
  })

  it('sends a thinking budget as an effort to a provider that does not define thinking', async () => {
    const thinking = { type: 'enabled', budget_tokens: 9000 }
    for (const strict_compat_compliance of [true, false]) {
      await askMessages(scene, config({ strict_compat_compliance }), { body: ask('x', { thinking }) })
      expect(scene.seen('a').json)
        .to.include({ reasoning_effort: 'medium' })
        .and.not.to.have.property('thinking')
    }
  })

  it("refuses what cannot be translated before the call, with the path in the caller's body", async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    const reply = await askMessages(scene, config(), { body: ask('x', { tools }) })
    expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([
      400,
      'invalid_body',
      '/tools/0/type',
    ])
    expect(scene.calls()).to.deep.equal([])
  })

  it("names no path in the caller's body for an error found in the provider's format", async () => {
    // The echo provider refuses this after the translation.
    const reply = await askMessages(
      scene,
      { provider: 'echo' },
      { body: ask('x', { extra_body: { echo: { latency_ms: -1 } } }) },
    )
    expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([400, 'invalid_body', null])
    expect(reply.error.message).to.contain('/echo/latency_ms')
  })

  it("answers 502 when the provider's answer is not a chat completion", async () => {
    scene.answers.a = (_request, response) => sendJson(response, 200, { choices: [] })
    const reply = await askMessages(scene, config())
    expect([reply.status, reply.error.code]).to.deep.equal([502, 'upstream_invalid_response'])
  })

  it('is refused for a provider without chat completions', async () => {
    const reply = await askMessages(scene, { ...config(), provider: 'voyage' })
    expect([reply.status, reply.error.code]).to.deep.equal([400, 'unsupported_endpoint'])
  })

  it("closes the provider's stream when the caller disconnects", async () => {
    let left: () => void = () => undefined
    const gone = new Promise<void>((resolve) => {
      left = resolve
    })
    scene.answers.a = (_request, response) => {
      response.once('close', left)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(chatChunk({ content: 'a' }))}\n\n`)
    }
    const caller = new AbortController()
    const response = await fetch(`${scene.gateway.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gateway-api-key': 'test-admin-key-0123456789',
        'x-gateway-config': JSON.stringify(config()),
      },
      body: JSON.stringify(ask('x', { stream: true })),
      signal: caller.signal,
    })
    await response.body?.getReader().read()
    caller.abort()
    await gone
  })

  it('returns the error message of the target', async () => {
    scene.answers.a = says('one', 'two')
    expect((await askMessages(scene, config())).body.content).to.deep.equal([
      { type: 'text', text: 'onetwo' },
    ])
  })
})
