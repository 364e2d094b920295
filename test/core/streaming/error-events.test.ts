/** An error event in a stream that began with 200: an error answer before any content, one error event after it. */
import { expect } from 'chai'
import { stubRandom } from '../../support/clock.ts'
import { chat, configHeader, json, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { chatChunk, chatEvents, openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'
import { bytesOf, dataOf, piece, textOf } from './events.ts'

const opening = `data: ${JSON.stringify(chatChunk({ role: 'assistant', content: '' }))}\n\n`

/** Some providers send their end marker even after an error. */
const ending = (event: string) => (event.endsWith('\n') ? ['data: [DONE]\n\n'] : [])

/** Error events of different providers, and the expected error. */
const writings: Record<string, { event: string; error: Record<string, unknown> }> = {
  'an error object': {
    event: 'data: {"error":{"message":"too much","type":"overload","param":"x","code":"busy"}}\n\n',
    error: { message: 'too much', type: 'overload', param: 'x', code: 'busy' },
  },
  'an error object without a space or a code': {
    event: 'data:{"error":{"message":"too much"}}\r\n\r\n',
    error: { message: 'too much', type: 'upstream_error', param: null, code: 'upstream_error' },
  },
  'an error object with a number for its code': {
    event: 'data: {"error":{"message":"too much","code":1302}}\n\n',
    error: { message: 'too much', code: '1302' },
  },
  'an error text': {
    event: 'data: {"error":"too much"}\n\n',
    error: { message: 'too much', code: 'upstream_error' },
  },
  'an event named error': {
    event: 'event: error\ndata: {"message":"too much","type":"overload"}\n\n',
    error: { message: 'too much', type: 'overload' },
  },
  'an event named error without a space': {
    event: 'event:error\ndata:{"message":"too much"}\n\n',
    error: { message: 'too much' },
  },
  'an event named error that is not JSON': {
    event: 'event: error\ndata: too much\n\n',
    error: { message: 'too much' },
  },
  'an object that calls itself an error': {
    event: 'data: {"object":"error","message":"too much"}\n\n',
    error: { message: 'too much' },
  },
  'an error object without further members': {
    event: 'data: {"error":{"message":"too much"}}',
    error: { message: 'too much' },
  },
}

describe('an error event', () => {
  const setRandom = stubRandom()
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

  const ask = (config: Record<string, unknown> = {}) =>
    gateway.post(
      '/v1/chat/completions',
      chat('hi', { stream: true }),
      configHeader({ ...target(upstream.url), ...config }),
    )

  for (const [name, { event, error }] of Object.entries(writings)) {
    for (const [when, before] of [
      ['at once', []],
      ['after the opening', [': hi\n\n', opening]],
    ] as const) {
      it(`as ${name} ${when} is answered with 502 and JSON`, async () => {
        upstream.handle((_request, response) => sendEvents(response, [...before, event, ...ending(event)]))
        const response = await ask()
        expect(response.status).to.equal(502)
        expect(response.headers.get('content-type')).to.contain('application/json')
        const body = await json(response)
        expect(body.error).to.include(error)
        expect(body).to.have.property('provider', 'openai')
      })
    }

    it(`as ${name} after content ends the stream with it`, async () => {
      const content = `data: ${piece('hi')}\n\n`
      // In one read, and each in a separate read.
      for (const events of [[content + event], [content, event]]) {
        upstream.handle((_request, response) => sendEvents(response, [...events, ...ending(event)]))
        const response = await ask()
        expect(response.status).to.equal(200)
        const received = dataOf(await bytesOf(response))
        expect(received).to.have.length(2)
        expect(received[0]).to.equal(piece('hi'))
        expect(JSON.parse(received[1] ?? ''))
          .to.have.property('error')
          .that.includes(error)
      }
    })
  }

  it('before content is retried', async () => {
    setRandom(0)
    upstream.handle((_request, response, count) => {
      sendEvents(response, count === first ? ['data: {"error":{"message":"once"}}\n\n'] : chatEvents('ok'))
    })
    const first = upstream.seen.length + 1
    const response = await ask({ retry: { attempts: 2 } })
    expect(response.status).to.equal(200)
    expect(response.headers.get('x-gateway-retry-attempt-count')).to.equal('1')
    expect(textOf(dataOf(await bytesOf(response)))).to.equal('ok')
    expect(upstream.seen).to.have.length(first + 1)
  })

  it('after content is not retried', async () => {
    const calls = upstream.seen.length
    upstream.handle((_request, response) =>
      sendEvents(response, [`data: ${piece('hi')}\n\n`, 'data: {"error":{"message":"late"}}\n\n']),
    )
    const response = await ask({ retry: { attempts: 2 } })
    expect(dataOf(await bytesOf(response)).join())
      .to.contain('late')
      .and.not.contain('[DONE]')
    expect(upstream.seen).to.have.length(calls + 1)
  })

  it('of a provider inside the gateway is returned in the same way', async () => {
    const ask = (failAfter: number) =>
      gateway.post(
        '/v1/chat/completions',
        chat('a b c d e f', { stream: true, echo: { fail_after_tokens: failAfter } }),
        { 'x-gateway-provider': 'echo' },
      )
    expect((await ask(0)).status).to.equal(502)
    const response = await ask(3)
    expect(response.status).to.equal(200)
    const events = dataOf(await bytesOf(response))
    expect(events).to.not.include('[DONE]')
    expect(JSON.parse(events.at(-1) ?? '')).to.have.nested.property('error.code', 'echo_error')
  })

  it('contains neither the credential nor the host', async () => {
    const message = `no sk-test at ${new URL(upstream.origin).host}`
    const event = `data: ${JSON.stringify({ error: { message } })}\n\n`
    for (const before of [[], [`data: ${piece('hi')}\n\n`]]) {
      upstream.handle((_request, response) => sendEvents(response, [...before, event]))
      const text = await (await ask()).text()
      expect(text).to.contain('no *** at [upstream]')
      expect(text).to.not.contain('sk-test').and.not.contain(new URL(upstream.origin).host)
    }
  })
})
