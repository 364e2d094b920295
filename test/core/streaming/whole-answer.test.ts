/** A provider that answers a stream request with JSON: its content is returned as a stream, or as its error. */
import { expect } from 'chai'
import { chat, configHeader, json, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { bytesOf, dataOf, textOf } from './events.ts'

const anthropicAnswer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'test-model',
  content: [{ type: 'text', text: 'all of it' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
}

describe('a stream request answered with JSON', () => {
  let gateway: TestGateway
  let upstream: Upstream

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const ask = (provider: string, extra = {}, route = 'chat/completions') =>
    gateway.post(
      `/v1/${route}`,
      chat('hi', { stream: true, ...extra }),
      configHeader(target(upstream.url, { provider })),
    )

  for (const [provider, whole] of Object.entries({
    openai: chatAnswer('all of it'),
    anthropic: anthropicAnswer,
  })) {
    it(`of ${provider} is streamed from the complete answer`, async () => {
      upstream.handle((_request, response) => sendJson(response, 200, whole))
      for (const isAsked of [false, true]) {
        const response = await ask(provider, isAsked ? { stream_options: { include_usage: true } } : {})
        expect(response.status).to.equal(200)
        expect(response.headers.get('content-type')).to.contain('text/event-stream')
        const events = dataOf(await bytesOf(response))
        expect(textOf(events)).to.equal('all of it')
        expect(events.at(-1)).to.equal('[DONE]')
        expect(events.join().includes('"finish_reason":"stop"')).to.equal(true)
        expect(events.join().includes('"total_tokens":5')).to.equal(isAsked)
      }
    })
  }

  it('is streamed in the format of the route', async () => {
    upstream.handle((_request, response) => sendJson(response, 200, anthropicAnswer))
    const events = dataOf(await bytesOf(await ask('anthropic', { max_tokens: 9 }, 'messages')))
    expect(events.join()).to.contain('"text_delta"').and.contain('all of it')
    expect(JSON.parse(events.at(-1) ?? '')).to.deep.equal({ type: 'message_stop' })
  })

  it('is parsed after a byte order mark', async () => {
    upstream.handle((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(`\uFEFF${JSON.stringify(chatAnswer('all of it'))}`)
    })
    expect(textOf(dataOf(await bytesOf(await ask('openai'))))).to.equal('all of it')
  })

  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
  const errors: [provider: string, route: string, body: unknown, status: number, message: string][] = [
    ['openai', 'chat/completions', { error: { message: 'too much', code: 429 } }, 429, 'too much'],
    ['anthropic', 'chat/completions', overloaded, 529, 'busy'],
    ['anthropic', 'messages', overloaded, 529, 'busy'],
  ]
  for (const [provider, route, body, status, message] of errors) {
    it(`of ${provider} with an error in the body is that error on ${route}`, async () => {
      upstream.handle((_request, response) => sendJson(response, 200, body))
      const response = await ask(provider, { max_tokens: 9 }, route)
      expect(response.status).to.equal(status)
      expect((await json(response)).error).to.include({ message })
    })
  }

  for (const [provider, route] of [
    ['openai', 'chat/completions'],
    ['anthropic', 'messages'],
    ['openai', 'responses'],
  ] as const) {
    it(`is 502 when it has no content on ${route}`, async () => {
      for (const body of [{}, { choices: [] }, []]) {
        upstream.handle((_request, response) => sendJson(response, 200, body))
        const response = await ask(provider, { max_tokens: 9, input: 'hi' }, route)
        expect(response.status).to.equal(502)
        expect((await json(response)).error).to.include({ code: 'upstream_invalid_response' })
      }
    })
  }
})
