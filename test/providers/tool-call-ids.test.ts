/** Ids of tool calls at providers that restrict them, and members of messages that only other providers define. */
import { asJson, type JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { acceptedId, fortyCharacters, nineCharacters, wordCharacters } from '#kit/chat/tool-call-ids'
import { assertProperty } from '../support/assert-property.ts'
import { openScene } from '../support/scene.ts'
import { chatChunk, sendEvents } from '../support/upstream.ts'

const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]

const loop = (id: string, extra: JsonObject = {}) => [
  { role: 'user', content: 'hi' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' }, ...extra }],
  },
  { role: 'tool', tool_call_id: id, content: 'done' },
]

interface Sent {
  messages: [unknown, { tool_calls: [{ id: string }] }, { tool_call_id: string }]
}

const longId = 'functions.get_weather:0:0123456789012345678901234567890123456789012345'

describe('an accepted tool call id', () => {
  it('is valid, is the same every time, and differs for different ids', () => {
    assertProperty(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(acceptedId(one, wordCharacters)).to.match(wordCharacters.accepted)
        for (const ids of [nineCharacters, fortyCharacters]) {
          expect(acceptedId(one, ids)).to.match(ids.accepted).and.equal(acceptedId(one, ids))
          expect(acceptedId(one, ids) === acceptedId(other, ids)).to.equal(one === other)
        }
      }),
    )
  })
})

describe('a conversation with tool calls of another provider', () => {
  const scene = openScene()

  const sentTo = async (provider: string, id: string, model = 'some-model') => {
    const config = scene.leaf('b', { provider })
    await scene.ask(config, { body: { model, messages: loop(id), tools } })
    const { messages } = scene.seen('b').json as unknown as Sent
    return { call: messages[1].tool_calls[0].id, result: messages[2].tool_call_id }
  }

  it('continues at Mistral after a fallback, with ids of nine letters and digits', async () => {
    scene.answers.a = 500
    const config = {
      strategy: { mode: 'fallback' },
      targets: [scene.leaf('a', { provider: 'openai' }), scene.leaf('b', { provider: 'mistral-ai' })],
    }
    const { status } = await scene.ask(config, { body: { model: 'm', messages: loop('call_abc'), tools } })
    expect(status).to.equal(200)
    const { messages } = scene.seen('b').json as unknown as Sent
    const { id } = messages[1].tool_calls[0]
    expect(id).to.match(/^[a-zA-Z0-9]{9}$/)
    expect(messages[2].tool_call_id).to.equal(id)
  })

  it('keeps ids that the provider accepts', async () => {
    expect(await sentTo('mistral-ai', 'aB3xK9mP2')).to.deep.equal({ call: 'aB3xK9mP2', result: 'aB3xK9mP2' })
    expect((await sentTo('openai', 'call_abc')).call).to.equal('call_abc')
    expect((await sentTo('groq', longId)).call).to.equal(longId)
  })

  it('reaches OpenAI with ids of at most forty characters', async () => {
    const { call, result } = await sentTo('openai', longId)
    expect(call)
      .to.match(/^[a-zA-Z0-9]{32}$/)
      .and.equal(result)
  })

  it('reaches models of Mistral at a provider of many models with nine characters', async () => {
    expect((await sentTo('openrouter', 'call_abc', 'mistralai/devstral-medium')).call).to.have.length(9)
    expect((await sentTo('openrouter', 'call_abc', 'z-ai/glm-5')).call).to.equal('call_abc')
  })

  it('reaches Anthropic with ids that it accepts, also in its own format', async () => {
    const config = scene.leaf('b', { provider: 'anthropic' })
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: longId, name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: longId, content: 'done' }] },
    ]
    await scene.ask(config, { path: '/v1/messages', body: { model: 'm', max_tokens: 9, messages } })
    const native = JSON.stringify(scene.seen('b').json)
    await scene.ask(config, { body: { model: 'm', messages: loop(longId), tools } })
    const translated = JSON.stringify(scene.seen('b').json)
    for (const sent of [native, translated]) {
      const [use] = /"id":"[a-zA-Z0-9_-]{1,64}"/.exec(sent) ?? []
      const [result] = /"tool_use_id":"[a-zA-Z0-9_-]{1,64}"/.exec(sent) ?? []
      expect(use?.split(':')[1]).to.equal(result?.split(':')[1]).and.not.equal(undefined)
    }
  })

  it('reaches the Responses API with call ids of at most 64 characters', async () => {
    const id = longId.repeat(2)
    const input = asJson([
      { role: 'user', content: 'hi' },
      { type: 'function_call', call_id: id, name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: 'done' },
    ])
    await scene.ask(scene.leaf('b', { provider: 'openai' }), {
      path: '/v1/responses',
      body: { model: 'm', input },
    })
    const sent = scene.seen('b').json as { input: { call_id?: string }[] }
    expect(sent.input[1]?.call_id).to.have.length(32)
    expect(sent.input[2]?.call_id).to.equal(sent.input[1]?.call_id)
  })

  it('shows the caller its own id if a model repeats it', async () => {
    const repeated = acceptedId('call_abc', nineCharacters)
    const part = { index: 0, id: repeated, type: 'function', function: { name: 'f', arguments: '{}' } }
    scene.answers.b = (_request, response) =>
      sendEvents(response, [
        `data: ${JSON.stringify(chatChunk({ tool_calls: [part] }))}\n\n`,
        `data: ${JSON.stringify(chatChunk({}, 'tool_calls'))}\n\n`,
        'data: [DONE]\n\n',
      ])
    const { text } = await scene.ask(scene.leaf('b', { provider: 'mistral-ai' }), {
      body: { model: 'm', messages: loop('call_abc'), tools, stream: true },
    })
    expect(text).to.contain('"id":"call_abc"').and.not.contain(repeated)
  })
})

describe('the members that the gateway adds to messages', () => {
  const scene = openScene()

  for (const provider of ['mistral-ai', 'groq', 'openai', 'vllm']) {
    it(`do not reach ${provider}, which does not define them`, async () => {
      const extra = { extra_content: { google: { thought_signature: 'sig' } } }
      const [question, called, result] = loop('aB3xK9mP2', extra)
      const blocks = [{ type: 'thinking', thinking: 'hm', signature: 's' }]
      const messages = [question, { ...called, ...extra, content_blocks: blocks }, result]
      await scene.ask(scene.leaf('a', { provider }), { body: { model: 'm', messages, tools } })
      const { text } = scene.seen('a')
      expect(text).to.contain('aB3xK9mP2').and.not.contain('extra_content').and.not.contain('content_blocks')
    })
  }

  it('reach Gemini as the signature of the call', async () => {
    const extra = { extra_content: { google: { thought_signature: 'sig' } } }
    await scene.ask(scene.leaf('a', { provider: 'google' }), {
      body: { model: 'gemini-3-flash', messages: loop('c', extra), tools },
    })
    expect(scene.seen('a').text).to.contain('"thoughtSignature":"sig"')
  })
})
