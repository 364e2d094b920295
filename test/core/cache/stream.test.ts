/** Streams in the cache are stored if they were complete, replayed as streams, and kept separate from plain answers. */
import { expect } from 'chai'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { answerOk, chatEvents, openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'
import { cached, chatPath, statusOf } from './support.ts'

describe('a stream in the cache', () => {
  let gateway: TestGateway
  let upstream: Upstream
  let topic = 0

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  beforeEach(() => {
    topic += 1
    upstream.handle(answerOk)
  })

  const ask = (extra: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    gateway.post(chatPath, chat(`topic ${topic}`, { stream: true }), {
      ...cached(upstream.url, extra),
      ...headers,
    })

  it('is replayed byte by byte as a stream, with its headers', async () => {
    const events = chatEvents('é', '世', '[DONE]')
    upstream.handle((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'first' })
      for (const event of [': hello\n\n', ...events]) response.write(event)
      response.end()
    })
    const first = await ask()
    expect(statusOf(first)).to.equal('MISS')
    const text = await first.text()
    upstream.handle((_request, response) => sendEvents(response, chatEvents('other')))
    const second = await ask()
    expect(statusOf(second)).to.equal('HIT')
    expect(second.headers.get('content-type')).to.contain('text/event-stream')
    expect(second.headers.get('x-gateway-provider-request-id')).to.equal('first')
    expect(await second.text())
      .to.equal(text)
      .and.contain('data: [DONE]')
  })

  it('is not used for a plain request, nor a plain answer for a stream', async () => {
    await (await ask()).text()
    const plain = () => gateway.post(chatPath, chat(`topic ${topic}`), cached(upstream.url))
    const first = await plain()
    expect(statusOf(first)).to.equal('MISS')
    expect(first.headers.get('content-type')).to.contain('application/json')
    expect(await first.json()).to.have.property('object', 'chat.completion')
    expect(statusOf(await plain())).to.equal('HIT')
    expect((await ask()).headers.get('content-type')).to.contain('text/event-stream')
  })

  for (const [how, events] of [
    ['broke off', chatEvents('half').slice(0, -2)],
    ['ended with an error', [...chatEvents('half').slice(0, -2), 'data: {"error":{"message":"no"}}\n\n']],
  ] as const) {
    it(`is not stored when it ${how}`, async () => {
      upstream.handle((_request, response) => sendEvents(response, events))
      for (let count = 0; count < 2; count += 1) {
        const response = await ask()
        expect(statusOf(response)).to.equal('MISS')
        expect(await response.text())
          .to.contain('half')
          .and.not.contain('[DONE]')
      }
    })
  }

  it('is not stored when its caller disconnects in the middle of it', async () => {
    let isGone = false
    upstream.handle((_request, response) => {
      response.on('close', () => {
        isGone = true
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chatEvents('half').slice(0, 2).join(''))
    })
    const response = await ask()
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await until('the provider call is cancelled', () => isGone)
    upstream.handle(answerOk)
    expect(statusOf(await ask())).to.equal('MISS')
  })

  it('is refreshed on request', async () => {
    await (await ask()).text()
    upstream.handle((_request, response) => sendEvents(response, chatEvents('newer')))
    const refreshed = await ask({}, { 'x-gateway-cache-force-refresh': 'true' })
    expect(statusOf(refreshed)).to.equal('REFRESH')
    await refreshed.text()
    const response = await ask()
    expect(statusOf(response)).to.equal('HIT')
    expect(await response.text()).to.contain('newer')
  })

  it('does not contain the verdicts of the checks for an earlier caller', async () => {
    const config = {
      strict_compat_compliance: false,
      output_guardrails: [{ 'default.contains': { words: ['never'], operator: 'none' } }],
    }
    for (const expected of ['MISS', 'HIT']) {
      const response = await ask(config)
      expect(statusOf(response)).to.equal(expected)
      expect((await response.text()).split('"hook_results"')).to.have.length(2)
    }
  })
})
