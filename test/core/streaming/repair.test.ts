/** Chat providers that deviate from the format: what their callers get in each format. */
import { expect } from 'chai'
import { type AskOptions, openScene, type Reply } from '../../support/scene.ts'
import { chatAnswer, chatChunk, sendEvents, sendJson } from '../../support/upstream.ts'

type Body = Record<string, unknown>

const eventOf = (body: unknown) => `data: ${JSON.stringify(body)}\n\n`
const done = 'data: [DONE]\n\n'
const messages = [{ role: 'user', content: 'weather in Paris and Rome?' }]

interface Part {
  index?: number
  id?: string
  type?: string
  function?: { name?: string; arguments?: string }
}

interface Chunk {
  choices: {
    delta: { content?: unknown; reasoning_content?: string; tool_calls?: Part[]; content_blocks?: Body[] }
  }[]
  usage?: Body | null
}

const chunksOf = ({ text }: Reply): Chunk[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Chunk)

const partsOf = (reply: Reply): Part[] =>
  chunksOf(reply).flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []))

/** The names and arguments of the calls in a message, and of those in a response. */
function callsOf(reply: Reply): [name: string, input: unknown, id: string][] {
  const { content, output } = reply.body as { content?: Body[]; output?: Body[] }
  const uses = (content ?? []).filter(({ type }) => type === 'tool_use')
  const items = (output ?? []).filter(({ type }) => type === 'function_call')
  return [
    ...uses.map(({ name, input, id }): [string, unknown, string] => [String(name), input, String(id)]),
    ...items.map((item): [string, unknown, string] => [
      String(item.name),
      JSON.parse(String(item.arguments)),
      String(item.call_id),
    ]),
  ]
}

/** The calls in a translated stream. */
function streamedCalls(
  reply: Reply,
  route: 'messages' | 'responses',
): [name: string, input: unknown, id: string][] {
  const events = reply.text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Body)
  if (route === 'responses') {
    const last = events.find(({ type }) => type === 'response.completed') as { response: Body }
    return callsOf({ ...reply, body: last.response })
  }
  const blocks: Body[] = []
  for (const event of events as { type: string; index: number; content_block: Body; delta: Body }[]) {
    if (event.type === 'content_block_start') blocks[event.index] = { ...event.content_block, text: '' }
    if (event.type === 'content_block_delta')
      (blocks[event.index] as Body).text = `${blocks[event.index]?.text}${event.delta.partial_json ?? ''}`
  }
  const content = blocks.map((block) => ({
    ...block,
    input: JSON.parse(String(block.text) || '{}') as unknown,
  }))
  return callsOf({ ...reply, body: { content } })
}

describe('a chat provider that deviates from the format', () => {
  const scene = openScene()

  const ask = (events: readonly string[], options: AskOptions = {}, config: Body = {}) => {
    scene.answers.a = (_request, response) => sendEvents(response, [...events])
    return scene.ask(scene.leaf('a', config), {
      ...options,
      body: { model: 'm', messages, stream: true, max_tokens: 99, ...options.body },
    })
  }
  const askWhole = (body: unknown, options: AskOptions = {}, config: Body = {}) => {
    scene.answers.a = (_request, response) => sendJson(response, 200, body)
    return scene.ask(scene.leaf('a', config), {
      ...options,
      body: { model: 'm', messages, max_tokens: 99, ...options.body },
    })
  }
  const call = (
    id: string | undefined,
    { name, written, index = 0 }: { name: string; written: string; index?: number },
  ): Part => ({
    index,
    ...(id === undefined ? {} : { id }),
    type: 'function',
    function: { name, arguments: written },
  })
  const two = [
    chatChunk({
      role: 'assistant',
      content: '',
      tool_calls: [call('call_a', { name: 'f', written: '{"city":"Paris"}' })],
    }),
    chatChunk({ tool_calls: [call('call_b', { name: 'f', written: '{"city":"Rome"}' })] }),
    chatChunk({}, 'tool_calls'),
  ]
  const expected = [
    ['f', { city: 'Paris' }, 'call_a'],
    ['f', { city: 'Rome' }, 'call_b'],
  ]

  it('and gives parallel calls one index is streamed with an index for each', async () => {
    const parts = partsOf(await ask([...two.map(eventOf), done]))
    expect(parts.map(({ index, id }) => [index, id])).to.deep.equal([
      [0, 'call_a'],
      [1, 'call_b'],
    ])
  })

  const objects = [{ index: 0, id: 'call_a', type: 'function', function: { name: 'f', arguments: { x: 1 } } }]

  it('and gives arguments as an object is answered with text, whole and streamed', async () => {
    const whole = chatAnswer('', {
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: objects },
          finish_reason: 'tool_calls',
        },
      ],
    })
    expect((await askWhole(whole)).body).to.have.nested.property(
      'choices[0].message.tool_calls[0].function.arguments',
      '{"x":1}',
    )
    const events = [chatChunk({ tool_calls: objects }), chatChunk({}, 'tool_calls')]
    const [part] = partsOf(await ask([...events.map(eventOf), done]))
    expect(part?.function?.arguments).to.equal('{"x":1}')
  })

  for (const route of ['messages', 'responses'] as const) {
    const input = route === 'responses' ? { input: 'hi' } : {}
    it(`and gives parallel calls one index is translated with both calls on ${route}`, async () => {
      const reply = await ask([...two.map(eventOf), done], { path: `/v1/${route}`, body: input }, noNative)
      expect(streamedCalls(reply, route)).to.deep.equal(expected)
    })

    it(`and gives arguments as an object is translated with them on ${route}`, async () => {
      const events = [chatChunk({ tool_calls: objects }), chatChunk({}, 'tool_calls')]
      const reply = await ask([...events.map(eventOf), done], { path: `/v1/${route}`, body: input }, noNative)
      expect(streamedCalls(reply, route)).to.deep.equal([['f', { x: 1 }, 'call_a']])
    })

    it(`and gives calls no id is translated with ids that differ in each turn on ${route}`, async () => {
      const silent = [
        chatChunk({
          tool_calls: [
            call(undefined, { name: 'f', written: '{}' }),
            call(undefined, { name: 'g', written: '{}' }),
          ],
        }),
        chatChunk({}, 'tool_calls'),
      ]
      const options = { path: `/v1/${route}`, body: input }
      const first = streamedCalls(await ask([...silent.map(eventOf), done], options, noNative), route)
      const again = streamedCalls(await ask([...silent.map(eventOf), done], options, noNative), route)
      expect(first.map(([name]) => name)).to.deep.equal(['f', 'g'])
      expect(again).to.deep.equal(first)
      const [one, other] = first.map(([, , id]) => id)
      const history =
        route === 'messages'
          ? {
              messages: [
                ...messages,
                { role: 'assistant', content: [{ type: 'tool_use', id: one, name: 'f', input: {} }] },
                { role: 'user', content: [{ type: 'tool_result', tool_use_id: one, content: 'x' }] },
              ],
            }
          : {
              input: [
                { role: 'user', content: 'hi' },
                { type: 'function_call', call_id: one, name: 'f', arguments: '{}' },
                { type: 'function_call_output', call_id: one, output: 'x' },
              ],
            }
      const next = streamedCalls(
        await ask([...silent.map(eventOf), done], { path: `/v1/${route}`, body: history }, noNative),
        route,
      )
      const ids = [one, other, ...next.map(([, , id]) => id)]
      expect(new Set(ids).size).to.equal(4)
      expect(ids.includes('')).to.equal(false)
    })

    it(`and gives calls of a whole answer no id is translated with ids on ${route}`, async () => {
      const message = {
        role: 'assistant',
        content: null,
        tool_calls: [call(undefined, { name: 'f', written: '{}' }), call('', { name: 'g', written: '{}' })],
      }
      const body = chatAnswer('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
      const calls = callsOf(await askWhole(body, { path: `/v1/${route}`, body: input }, noNative))
      expect(calls.map(([name]) => name)).to.deep.equal(['f', 'g'])
      expect(new Set(calls.map(([, , id]) => id)).size).to.equal(2)
      for (const [, , id] of calls) expect(id).to.match(/^call_\w{10,}$/)
    })
  }

  it('continues a call by its id, its index, or both', async () => {
    const pieces = [
      [call('call_a', { name: 'f', written: '{"a"' })],
      [{ index: 0, function: { arguments: ':1' } }],
      [{ index: 0, id: 'call_a', function: { arguments: '}' } }],
      [call('call_b', { name: 'g', written: '{', index: 1 }), { index: 1, function: { arguments: '}' } }],
    ]
    const events = pieces.map((tool_calls) => eventOf(chatChunk({ tool_calls })))
    const reply = await ask([...events, eventOf(chatChunk({}, 'tool_calls')), done])
    expect(partsOf(reply)).to.deep.equal(pieces.flat())
  })

  const list = [
    {
      type: 'thinking',
      thinking: [
        { type: 'text', text: 'hm, ' },
        { type: 'text', text: 'well' },
      ],
    },
    { type: 'text', text: 'Paris' },
  ]

  for (const provider of ['mistral-ai', 'openai']) {
    for (const strict of [true, false]) {
      const config = { provider, strict_compat_compliance: strict }
      it(`of ${provider} and answers with a list is answered as text, ${strict ? '' : 'not '}strict`, async () => {
        const message = { role: 'assistant', content: list }
        const whole = chatAnswer('', { choices: [{ index: 0, message, finish_reason: 'stop' }] })
        const { body } = await askWhole(whole, {}, config)
        const [choice] = (body as { choices: { message: Body }[] }).choices
        const blocks = [
          { type: 'thinking', thinking: 'hm, well' },
          { type: 'text', text: 'Paris' },
        ]
        expect(choice?.message).to.deep.equal({
          role: 'assistant',
          content: 'Paris',
          reasoning_content: 'hm, well',
          ...(strict ? {} : { content_blocks: blocks }),
        })
      })

      it(`of ${provider} and streams lists is streamed as text, ${strict ? '' : 'not '}strict`, async () => {
        const deltas = [{ content: [list[0]] }, { content: [list[1]] }, { content: '!' }]
        const events = deltas.map((delta) => eventOf(chatChunk(delta)))
        const chunks = chunksOf(await ask([...events, eventOf(chatChunk({}, 'stop')), done], {}, config))
        const said = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
        expect(said.every(({ content }) => content === undefined || typeof content === 'string')).to.equal(
          true,
        )
        expect(said.map(({ content }) => content ?? '').join('')).to.equal('Paris!')
        expect(said.map(({ reasoning_content: text }) => text ?? '').join('')).to.equal('hm, well')
        expect(said.flatMap(({ content_blocks: blocks }) => blocks ?? [])).to.deep.equal(
          strict
            ? []
            : [
                { index: 0, type: 'thinking', thinking: 'hm, well' },
                { index: 1, type: 'text', text: 'Paris' },
              ],
        )
      })
    }
  }

  for (const provider of ['openai', 'mistral-ai']) {
    const finished = [eventOf(chatChunk({ content: 'hi' })), eventOf(chatChunk({}, 'stop'))]

    it(`of ${provider} and ends a stream without [DONE] after its finish reason is complete`, async () => {
      const { text } = await ask(finished, {}, { provider })
      expect(text).to.contain('"finish_reason":"stop"').and.not.contain('"error"')
      expect(text.trimEnd().endsWith('data: [DONE]')).to.equal(true)
    })

    it(`of ${provider} and ends a stream before its finish reason fails`, async () => {
      const { text } = await ask(finished.slice(0, 1), {}, { provider })
      expect(text).to.contain('"error"').and.not.contain('[DONE]')
    })

    it(`of ${provider} and ends a stream before all of its choices are finished fails`, async () => {
      const { text } = await ask(finished, { body: { n: 2 } }, { provider })
      expect(text).to.contain('"error"').and.not.contain('[DONE]')
    })

    it(`of ${provider} and sends usage in its last chunk keeps it there for callers who do not ask`, async () => {
      const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
      const last = { ...chatChunk({}, 'stop'), usage }
      const chunks = chunksOf(await ask([finished[0] ?? '', eventOf(last), done], {}, { provider }))
      expect(chunks.at(-1)).to.deep.equal(last)
    })
  }

  it('and ends a stream without [DONE] is complete as a message', async () => {
    const events = [eventOf(chatChunk({ content: 'hi' })), eventOf(chatChunk({}, 'stop'))]
    const { text } = await ask(events, { path: '/v1/messages' }, noNative)
    expect(text).to.contain('message_stop').and.not.contain('"error"')
  })

  for (const [vendor, own] of [
    ['DeepSeek', { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 }],
    ['Moonshot', { cached_tokens: 4 }],
    ['Mistral', { num_cached_tokens: 4 }],
  ] as const) {
    it(`and counts cached tokens as ${vendor} does has them in the usage of each format`, async () => {
      const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11, ...own }
      const whole = chatAnswer('hi', { usage })
      const chat = await askWhole(whole)
      expect(chat.body.usage).to.deep.equal({ ...usage, prompt_tokens_details: { cached_tokens: 4 } })
      const message = await askWhole(whole, { path: '/v1/messages' }, noNative)
      expect(message.body.usage).to.include({ input_tokens: 5, cache_read_input_tokens: 4 })
      const response = await askWhole(whole, { path: '/v1/responses', body: { input: 'hi' } }, noNative)
      expect(response.body.usage).to.have.nested.property('input_tokens_details.cached_tokens', 4)
      const events = [chatChunk({ content: 'hi' }), chatChunk({}, 'stop'), { choices: [], usage }]
      const stream_options = { include_usage: true }
      const streamed = chunksOf(await ask([...events.map(eventOf), done], { body: { stream_options } }))
      expect(streamed.at(-1)?.usage).to.have.nested.property('prompt_tokens_details.cached_tokens', 4)
    })
  }

  for (const [what, body] of [
    ['an empty object', {}],
    ['choices that are null', { choices: null }],
  ] as const) {
    for (const provider of ['openai', 'mistral-ai', 'anthropic', 'google']) {
      it(`of ${provider} and answers 200 with ${what} is retried, then left for the next target`, async () => {
        scene.answers.a = (_request, response) => sendJson(response, 200, body)
        const config = {
          strategy: { mode: 'fallback' },
          targets: [scene.leaf('a', { provider, retry: { attempts: 1 } }), scene.leaf('b')],
        }
        const reply = await scene.ask(config, { body: { model: 'm', messages } })
        expect(reply.status).to.equal(200)
        expect(scene.calls()).to.deep.equal(['a', 'a', 'b'])
        const alone = await scene.ask(scene.leaf('a', { provider }), { body: { model: 'm', messages } })
        expect([alone.status, alone.error.code]).to.deep.equal([502, 'upstream_invalid_response'])
      })
    }
  }

  for (const [route, provider, member] of [
    ['messages', 'anthropic', 'content'],
    ['responses', 'openai', 'output'],
    ['embeddings', 'openai', 'data'],
  ] as const) {
    it(`and answers 200 without ${member} on ${route} is left for the next target`, async () => {
      for (const body of [{}, { [member]: null }]) {
        scene.answers.a = (_request, response) => sendJson(response, 200, body)
        const options = {
          path: `/v1/${route}`,
          body: { model: 'm', messages, input: 'hi', max_tokens: 9 },
        }
        const reply = await scene.ask(scene.leaf('a', { provider }), options)
        expect([reply.status, reply.error.code]).to.deep.equal([502, 'upstream_invalid_response'])
      }
    })
  }
})

/** A provider that has chat only. */
const noNative = { provider: 'together-ai' }
