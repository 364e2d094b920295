/** Conversations that move between providers: signatures return to the provider that created them, and to no other. */
import { expect } from 'chai'
import { openScene } from '../../support/scene.ts'
import { sendEvents, sendJson } from '../../support/upstream.ts'
import { answer, ask, askContent, eventsOf, partsOf, pathOf, says, streamPath, targetOf } from './fixtures.ts'

const thinking = { type: 'thinking', thinking: 'I should look.', signature: 'c2lnbmVk' }
const use = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } }
const usage = { input_tokens: 3, output_tokens: 2 }
const anthropicMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-6',
  content: [thinking, { type: 'text', text: 'Let me see.' }, use],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage,
}

const named = (event: { type: string; [key: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const block = (index: number, content_block: object, ...deltas: object[]) => [
  named({ type: 'content_block_start', index, content_block }),
  ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
  named({ type: 'content_block_stop', index }),
]
const anthropicEvents = [
  named({ type: 'message_start', message: { ...anthropicMessage, content: [], stop_reason: null } }),
  ...block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'I should ' },
    { type: 'thinking_delta', thinking: 'look.' },
    { type: 'signature_delta', signature: thinking.signature },
  ),
  ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Let me see.' }),
  ...block(2, { ...use, input: {} }, { type: 'input_json_delta', partial_json: '{"at":1}' }),
  named({
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 2 },
  }),
  named({ type: 'message_stop' }),
]

const tools = [
  {
    functionDeclarations: [
      { name: 'look', parameters: { type: 'OBJECT', properties: { at: { type: 'INTEGER' } } } },
    ],
  },
]
const result = {
  role: 'user',
  parts: [{ functionResponse: { id: 'toolu_1', name: 'look', response: { output: 'a tree' } } }],
}

describe('a conversation of generateContent across providers', () => {
  const scene = openScene()
  const claude = () => scene.leaf('claude', { provider: 'anthropic' })
  const question = { role: 'user', parts: [{ text: 'What is there?' }] }
  const model = 'claude-sonnet-4-6'

  for (const isStream of [false, true])
    for (const includeThoughts of [false, true])
      it(`returns signed thoughts, ${isStream ? 'streamed' : 'whole'}, ${includeThoughts ? 'shown' : 'hidden'}`, async () => {
        scene.answers.claude = (_request, response) =>
          isStream ? sendEvents(response, anthropicEvents) : sendJson(response, 200, anthropicMessage)
        const generationConfig = {
          thinkingConfig: { includeThoughts, thinkingBudget: 2000 },
          maxOutputTokens: 4000,
        }
        const path = isStream ? streamPath.replace('test-model', model) : pathOf('generateContent', model)
        const reply = await askContent(scene, claude(), {
          body: { contents: [question], tools, generationConfig },
          rest: { path },
        })
        expect(reply.status, reply.text).to.equal(200)
        const parts = isStream ? eventsOf(reply).flatMap(partsOf) : partsOf(reply.body)
        const thoughts = parts.filter(({ thought }) => thought === true).map(({ text }) => text)
        expect(thoughts.join('')).to.equal(includeThoughts ? thinking.thinking : '')
        const calls = parts.filter(({ functionCall }) => functionCall !== undefined)
        expect(calls.map(({ functionCall }) => functionCall)).to.deep.equal([
          { id: 'toolu_1', name: 'look', args: { at: 1 } },
        ])
        expect(calls[0]?.thoughtSignature).to.match(/^[A-Za-z0-9+/]+=*$/)

        // Sent back by a client that keeps thoughts, and by one that drops them.
        for (const kept of [parts, parts.filter(({ thought }) => thought !== true)]) {
          scene.answers.claude = (_request, response) =>
            sendJson(response, 200, { ...anthropicMessage, content: [{ type: 'text', text: 'A tree.' }] })
          const contents = [question, { role: 'model', parts: kept }, result]
          const next = await askContent(scene, claude(), {
            body: { contents, tools, generationConfig },
            rest: { path: pathOf('generateContent', model) },
          })
          expect(next.status, next.text).to.equal(200)
          const { messages } = scene.seen('claude').json as {
            messages: { role: string; content: object[] }[]
          }
          const assistant = messages.find(({ role }) => role === 'assistant')
          expect(assistant?.content).to.deep.equal([thinking, { type: 'text', text: 'Let me see.' }, use])
        }

        // Neither another provider of this format nor a provider of chat completions receives them.
        const contents = [question, { role: 'model', parts }, result]
        scene.answers.google = says('ok')
        const gemini = scene.leaf('google', { provider: 'google' })
        const moved = await askContent(scene, gemini, {
          body: { contents, tools },
          rest: { path: pathOf('generateContent', 'gemini-3-flash') },
        })
        expect(moved.status, moved.text).to.equal(200)
        const { contents: sentContents } = scene.seen('google').json as {
          contents: { parts: { thoughtSignature?: string }[] }[]
        }
        const sent = sentContents[1]?.parts ?? []
        const signatures = sent.flatMap(({ thoughtSignature }) => thoughtSignature ?? [])
        expect(signatures).to.deep.equal(['skip_thought_signature_validator'])
        await askContent(scene, targetOf(scene, 'translated', { name: 'chat' }), {
          body: { contents, tools },
        })
        expect(scene.seen('chat').text)
          .not.to.contain(thinking.signature)
          .and.not.to.contain('content_blocks')
      })

  for (const isStream of [false, true])
    it(`keeps the order of interleaved thoughts, texts and calls, ${isStream ? 'streamed' : 'whole'}`, async () => {
      const thought = (signature: string) => ({ type: 'thinking', thinking: signature, signature })
      const text = (said: string) => ({ type: 'text', text: said })
      const call = (id: string) => ({ ...use, id })
      const content = [
        ...[thought('one'), text('First.'), call('toolu_1')],
        ...[
          thought('two'),
          text('Then.'),
          thought('three'),
          call('toolu_2'),
          thought('four'),
          call('toolu_3'),
        ],
      ]
      const events = content.flatMap((each, index) => {
        if ('text' in each) return block(index, text(''), { type: 'text_delta', text: each.text })
        if ('input' in each)
          return block(index, { ...each, input: {} }, { type: 'input_json_delta', partial_json: '{"at":1}' })
        return block(
          index,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: each.thinking },
          { type: 'signature_delta', signature: each.signature },
        )
      })
      scene.answers.claude = (_request, response) =>
        isStream
          ? sendEvents(response, [anthropicEvents[0] ?? '', ...events, ...anthropicEvents.slice(-2)])
          : sendJson(response, 200, { ...anthropicMessage, content })
      const generationConfig = { thinkingConfig: { thinkingBudget: 2000 }, maxOutputTokens: 4000 }
      const path = isStream ? streamPath.replace('test-model', model) : pathOf('generateContent', model)
      const asked = { contents: [question] as object[], tools, generationConfig }
      const reply = await askContent(scene, claude(), { body: asked, rest: { path } })
      const parts = isStream ? eventsOf(reply).flatMap(partsOf) : partsOf(reply.body)
      const results = ['toolu_1', 'toolu_2', 'toolu_3'].map((id) => ({
        functionResponse: { id, name: 'look', response: { output: 'a tree' } },
      }))
      const contents = [question, { role: 'model', parts }, { role: 'user', parts: results }]
      await askContent(scene, claude(), {
        body: { ...asked, contents },
        rest: { path: pathOf('generateContent', model) },
      })
      const { messages } = scene.seen('claude').json as { messages: { content: object[] }[] }
      expect(messages[1]?.content).to.deep.equal(content)
    })

  it('falls back to another format in the middle of a conversation', async () => {
    const signature = 'b2YgdGhlIHZlbmRvcg=='
    const parts = [{ functionCall: { name: 'look', args: {} }, thoughtSignature: signature }]
    scene.answers.google = 503
    scene.answers.chat = says('ok')
    const targets = [
      scene.leaf('google', { provider: 'google' }),
      targetOf(scene, 'translated', { name: 'chat' }),
    ]
    const contents = [
      question,
      { role: 'model', parts },
      { role: 'user', parts: [{ functionResponse: { name: 'look', response: {} } }] },
    ]
    const reply = await askContent(
      scene,
      { strategy: { mode: 'fallback' }, targets },
      { body: { contents, tools } },
    )
    expect(reply.status, reply.text).to.equal(200)
    expect(partsOf(reply.body)).to.deep.equal([{ text: 'ok' }])
    expect(scene.calls()).to.deep.equal(['google', 'chat'])
    expect(scene.seen('google').text).to.contain(signature)
    expect(scene.seen('chat').text).not.to.contain(signature)
  })

  it('returns data that a chat provider attached to a call to that provider', async () => {
    const extra = { vendor: { note: 'x' } }
    const tool_calls = [
      { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' }, extra_content: extra },
    ]
    scene.answers.chat = (_request, response) =>
      sendJson(response, 200, {
        id: 'x',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: null, tool_calls },
            finish_reason: 'tool_calls',
          },
        ],
      })
    const reply = await askContent(scene, targetOf(scene, 'translated', { name: 'chat' }), {
      body: {
        contents: [question],
        tools,
      },
    })
    const parts = partsOf(reply.body)
    scene.answers.google = says('ok')
    const google = scene.leaf('google', { provider: 'google' })
    await askContent(scene, google, { body: { contents: [question, { role: 'model', parts }] } })
    expect(scene.seen('google').text).not.to.contain('thoughtSignature')
  })

  it('returns a search as grounding', async () => {
    scene.answers.claude = (_request, response) =>
      sendJson(response, 200, {
        ...anthropicMessage,
        content: [
          {
            type: 'text',
            text: 'It rains.',
            citations: [
              {
                type: 'web_search_result_location',
                url: 'https://weather.example',
                title: 'Weather',
                cited_text: 'rain',
                encrypted_index: 'x',
              },
            ],
          },
        ],
        stop_reason: 'end_turn',
      })
    const reply = await askContent(scene, claude(), {
      body: ask('weather?', { tools: [{ googleSearch: {} }] }),
      rest: {
        path: pathOf('generateContent', model),
      },
    })
    expect(reply.status, reply.text).to.equal(200)
    expect(JSON.stringify(scene.seen('claude').json?.tools)).to.contain('web_search')
    expect(reply.body).to.have.nested.property(
      'candidates[0].groundingMetadata.groundingChunks[0].web.uri',
      'https://weather.example',
    )
  })

  it('sends a native answer unchanged', async () => {
    const told = answer([{ text: 'x', thoughtSignature: 'eA==' }])
    scene.answers.google = (_request, response) => sendJson(response, 200, told)
    const reply = await askContent(scene, scene.leaf('google', { provider: 'google' }))
    expect(reply.body).to.deep.equal(told)
  })
})
