/**
 * A request that is too long for its model. Each format's clients get the message that makes them compact the
 * conversation.
 */
import { expect } from 'chai'
import { eventsOf } from '../../plugins/dialect-responses/scene.ts'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { sendEvents, sendJson } from '../../support/upstream.ts'

const openai = {
  error: {
    message:
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
}
const anthropic = {
  type: 'error',
  error: { type: 'invalid_request_error', message: 'prompt is too long: 9000 tokens > 8192 maximum' },
}
const gemini = {
  error: {
    code: 400,
    message: 'The input token count (9000) exceeds the maximum number of tokens allowed (8192).',
    status: 'INVALID_ARGUMENT',
  },
}
const mistral = {
  object: 'error',
  message:
    'Prompt contains 9000 tokens and 0 draft tokens, too large for model with 8192 maximum context length',
  type: 'invalid_request_prompt',
  param: null,
  code: null,
}
const llama = {
  error: {
    code: 500,
    message: 'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
    type: 'exceed_context_size_error',
  },
}

const vendors: [provider: string, status: number, body: object][] = [
  ['openai', 400, openai],
  ['anthropic', 400, anthropic],
  ['google', 400, gemini],
  ['mistral-ai', 422, mistral],
  ['vllm', 500, llama],
]

describe('a request that is too long for its model', () => {
  const scene = openScene()
  const text = { role: 'user', content: 'x' }

  for (const [provider, status, body] of vendors) {
    const leaf = () => {
      scene.answers.a = (_request, response) => sendJson(response, status, body)
      return scene.leaf('a', { provider })
    }

    for (const stream of [false, true]) {
      it(`is context_length_exceeded in a chat with ${provider}${stream ? ', streamed' : ''}`, async () => {
        const reply = await scene.ask(leaf(), { body: chat('x', { stream }) })
        expect(reply.status).to.equal(400)
        expect(reply.error).to.include({ type: 'invalid_request_error', code: 'context_length_exceeded' })
        expect(reply.error.message).to.include('9000').and.to.include('8192')
      })

      it(`is a prompt that is too long in a message with ${provider}${stream ? ', streamed' : ''}`, async () => {
        const reply = await scene.ask(leaf(), {
          path: '/v1/messages',
          body: { model: 'm', max_tokens: 9, messages: [text], stream },
        })
        expect(reply.status).to.equal(400)
        expect(reply.body.type).to.equal('error')
        expect(reply.error).to.include({
          type: 'invalid_request_error',
          message: 'prompt is too long: 9000 tokens > 8192 maximum',
        })
      })
    }

    it(`is context_length_exceeded in a response with ${provider}`, async () => {
      const reply = await scene.ask(leaf(), { path: '/v1/responses', body: { model: 'm', input: 'x' } })
      expect(reply.status).to.equal(400)
      expect(reply.error).to.include({ type: 'invalid_request_error', code: 'context_length_exceeded' })
    })

    it(`is a failed response in a stream with ${provider}`, async () => {
      const reply = await scene.ask(leaf(), {
        path: '/v1/responses',
        body: { model: 'm', input: 'x', stream: true },
      })
      expect(reply.status).to.equal(200)
      expect(reply.headers.get('content-type')).to.equal('text/event-stream')
      const events = eventsOf(reply as never)
      expect(events.map(({ type }) => type)).to.deep.equal(['response.created', 'response.failed'])
      expect(events[1]).to.have.nested.property('response.error.code', 'context_length_exceeded')
      expect(events[1]).to.have.nested.property('response.status', 'failed')
      expect(events.map(({ sequence_number }) => sequence_number)).to.deep.equal([0, 1])
      expect(reply.text).to.match(/data: \[DONE\]\n\n$/)
      expect(scene.gateway.logs.at(-1)).to.include({ status: 400 })
    })
  }

  it('has no token counts when the provider reports none', async () => {
    scene.answers.a = (_request, response) =>
      sendJson(response, 400, { message: 'Input is too long for requested model.' })
    const reply = await scene.ask(scene.leaf('a'), {
      path: '/v1/messages',
      body: { model: 'm', max_tokens: 9, messages: [text] },
    })
    expect(reply.error.message).to.equal('prompt is too long')
  })

  it("keeps the format's own message, which makes its clients lower max_tokens", async () => {
    const message = 'input length and `max_tokens` exceed context limit: 8000 + 900 > 8192'
    scene.answers.a = (_request, response) =>
      sendJson(response, 400, { type: 'error', error: { type: 'invalid_request_error', message } })
    const reply = await scene.ask(scene.leaf('a', { provider: 'anthropic' }), {
      path: '/v1/messages',
      body: { model: 'm', max_tokens: 900, messages: [text] },
    })
    expect(reply.error.message).to.equal(message)
  })

  it('is reported in a stream that the provider has already begun', async () => {
    scene.answers.a = (_request, response) => sendEvents(response, [`data: ${JSON.stringify(openai)}\n\n`])
    const reply = await scene.ask(scene.leaf('a'), { body: chat('x', { stream: true }) })
    expect(reply.status).to.equal(400)
    expect(reply.error).to.include({ code: 'context_length_exceeded' })
  })

  it('falls back to the next target', async () => {
    scene.answers = { a: (_request, response) => sendJson(response, 400, openai) }
    const config = { strategy: { mode: 'fallback' }, targets: [scene.leaf('a'), scene.leaf('b')] }
    const reply = await scene.ask(config, {
      path: '/v1/chat/completions',
      body: chat('x', { stream: false }),
    })
    expect([reply.status, scene.calls()]).to.deep.equal([200, ['a', 'b']])
  })
})
