/** The end of a stream (`[DONE]`), and its response headers. */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { chatEvents, openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'
import { bytesOf, dataOf, piece } from './events.ts'

describe('a stream', () => {
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

  const ask = (config: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    gateway.post('/v1/chat/completions', chat('hi', { stream: true }), {
      ...configHeader({ ...target(upstream.url), ...config }),
      ...headers,
    })

  it('ends with [DONE] although the provider stays open, and disconnects from the provider', async () => {
    let isClosed = false
    upstream.handle((_request, response) => {
      response.on('close', () => {
        isClosed = true
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chatEvents('hi').join(''))
    })
    const response = await ask()
    expect(dataOf(await bytesOf(response))).to.deep.equal(dataOf(Buffer.from(chatEvents('hi').join(''))))
    await until('the connection to the provider was closed', () => isClosed)
  })

  it('drops everything that the provider sends after [DONE]', async () => {
    const late = `data: ${piece('late')}\n\n`
    for (const events of [[...chatEvents('hi'), late], [[...chatEvents('hi'), late].join('')]]) {
      upstream.handle((_request, response) => sendEvents(response, events))
      const text = await (await ask()).text()
      expect(text).to.contain('[DONE]').and.not.contain('late')
    }
  })

  it('can consist of [DONE] only', async () => {
    upstream.handle((_request, response) => sendEvents(response, ['data: [DONE]\n\n']))
    const response = await ask()
    expect(response.status).to.equal(200)
    expect(dataOf(await bytesOf(response))).to.deep.equal(['[DONE]'])
  })

  for (const status of [204, 205]) {
    it(`with headers that announce no content, status ${status}, is a 502`, async () => {
      upstream.handle((_request, response) => {
        response.writeHead(status, { 'content-type': 'text/event-stream' })
        response.end(chatEvents('hi').join(''))
      })
      expect((await ask()).status).to.equal(502)
    })
  }

  it('treats [DONE] inside a text as text', async () => {
    upstream.handle((_request, response) =>
      sendEvents(response, chatEvents('[DONE]', 'data: [DONE]\n\n', '"error"')),
    )
    expect(dataOf(await bytesOf(await ask()))).to.have.length(6)
  })

  it('has the headers of the gateway and of the provider', async () => {
    upstream.handle((_request, response) => {
      const own = {
        'x-request-id': 'up-1',
        'set-cookie': 'a=1',
        'x-gateway-provider': 'liar',
        connection: 'close',
      }
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...own })
      response.end(chatEvents('hi').join(''))
    })
    const { headers } = await ask({}, { 'x-gateway-trace-id': 'trace-7' })
    expect(headers.get('content-type')).to.match(/^text\/event-stream/)
    expect(headers.get('cache-control')).to.contain('no-cache')
    const expected = {
      'x-gateway-trace-id': 'trace-7',
      'x-gateway-provider': 'openai',
      'x-gateway-last-used-option-index': 'config',
      'x-gateway-retry-attempt-count': '0',
      'x-gateway-cache-status': 'DISABLED',
      'x-gateway-provider-request-id': 'up-1',
    }
    for (const [name, value] of Object.entries(expected)) expect(headers.get(name), name).to.equal(value)
    for (const name of ['set-cookie', 'content-length', 'content-encoding'])
      expect(headers.has(name), name).to.equal(false)
  })

  it('forwards an event when it arrives, not when the next one does', async () => {
    let sendNext: () => void = () => undefined
    upstream.handle((_request, response) => {
      const events = chatEvents('a', 'b', 'c')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      sendNext = () => {
        const event = events.shift()
        if (event === undefined) response.end()
        else response.write(event)
      }
      // The opening chunk and the first content.
      sendNext()
      sendNext()
    })
    const response = await ask()
    const reader = response.body?.getReader()
    let received = ''
    for (const wanted of ['"a"', '"b"', '"c"', '"stop"', '[DONE]']) {
      while (!received.includes(wanted)) {
        const step = await reader?.read()
        if (step?.value === undefined) throw new Error(`The stream ended before ${wanted}.`)
        received += new TextDecoder().decode(step.value)
      }
      sendNext()
    }
    expect((await reader?.read())?.done).to.equal(true)
  })
})
