/** Identical concurrent requests share one call of the provider. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { turns, until } from '../../support/until.ts'
import { chatAnswer, chatEvents, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { cached, chatPath, statusOf } from './support.ts'

const callers = 8

describe('identical requests at the same time', () => {
  let gateway: TestGateway
  let upstream: Upstream
  let answers: ServerResponse[] = []
  let gone = 0
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
    answers = []
    gone = 0
    upstream.handle((_request, response) => {
      answers.push(response)
      response.on('close', () => {
        if (!response.writableFinished) gone += 1
      })
    })
  })

  const [opening = '', first = '', ...rest] = chatEvents('shared')

  /** Starts a caller, and returns how to disconnect it. */
  function call(stream: boolean, words = `topic ${topic}`, headers: Record<string, string> = {}) {
    const leaving = new AbortController()
    const asked = fetch(gateway.url + chatPath, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gateway-api-key': 'test-admin-key-0123456789',
        ...cached(upstream.url),
        ...headers,
      },
      body: JSON.stringify(chat(words, { stream })),
      signal: leaving.signal,
    })
    asked.catch(() => undefined)
    return { asked, leave: () => leaving.abort() }
  }

  /** Starts callers that all wait for one call of the provider. */
  async function gather(stream: boolean, count = callers) {
    const waiting = [call(stream)]
    await until('the provider is called', () => answers.length > 0)
    while (waiting.length < count) waiting.push(call(stream))
    await until('all are there', async () => {
      const metrics = await (await gateway.get('/metrics')).text()
      return metrics.includes(`gateway_requests_in_flight ${count}\n`)
    })
    // Allows time for the cache lookup.
    await turns(50)
    return waiting
  }

  /** The only call of the provider. */
  function onlyAnswer(): ServerResponse {
    expect(answers).to.have.length(1)
    return answers[0] as ServerResponse
  }

  it('share no call when their timeouts differ', async () => {
    const quick = call(false)
    await until('the provider is called', () => answers.length === 1)
    const slow = call(false, undefined, cached(upstream.url, { request_timeout: 60_000 }))
    await until('the provider is called again', () => answers.length === 2)
    for (const answer of answers) sendJson(answer, 200, chatAnswer('each'))
    for (const { asked } of [quick, slow]) expect(statusOf(await asked)).to.equal('MISS')
  })

  function beginStream(): ServerResponse {
    const answer = onlyAnswer()
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    answer.write(opening + first)
    return answer
  }

  it('share a plain answer', async () => {
    const waiting = await gather(false)
    sendJson(onlyAnswer(), 200, chatAnswer('shared'))
    const responses = await Promise.all(waiting.map(({ asked }) => asked))
    expect(responses.map(statusOf).sort()).to.deep.equal([...Array(callers - 1).fill('HIT'), 'MISS'])
    for (const response of responses) expect(await response.json()).to.deep.equal(chatAnswer('shared'))
    expect(answers).to.have.length(1)
  })

  it('share a stream, each from its first event and while it arrives', async () => {
    const waiting = await gather(true)
    const answer = beginStream()
    const responses = await Promise.all(waiting.map(({ asked }) => asked))
    answer.end(rest.join(''))
    for (const response of responses) expect(await response.text()).to.equal(chatEvents('shared').join(''))
    expect(responses.map(statusOf).filter((status) => status === 'HIT')).to.have.length(callers - 1)
    const later = call(true)
    expect(statusOf(await later.asked)).to.equal('HIT')
    expect(answers).to.have.length(1)
  })

  it('can join a stream that has already begun', async () => {
    const early = call(true)
    await until('the provider is called', () => answers.length > 0)
    const answer = beginStream()
    await early.asked
    const late = await call(true).asked
    expect(statusOf(late)).to.equal('HIT')
    answer.end(rest.join(''))
    expect(await late.text()).to.equal(chatEvents('shared').join(''))
    expect(answers).to.have.length(1)
  })

  it('do not wait for different requests', async () => {
    await gather(false, 2)
    const other = call(false, 'something else')
    await until('the provider is called again', () => answers.length === 2)
    for (const answer of answers) sendJson(answer, 200, chatAnswer('done'))
    expect((await other.asked).status).to.equal(200)
  })

  it('do not wait for a request with a longer or shorter timeout', async () => {
    await gather(false, 2)
    const hasty = call(false, undefined, { 'x-gateway-request-timeout': '60000' })
    await until('the provider is called again', () => answers.length === 2)
    for (const answer of answers) sendJson(answer, 200, chatAnswer('done'))
    expect((await hasty.asked).status).to.equal(200)
  })

  for (const stream of [false, true]) {
    const kind = stream ? 'stream' : 'plain answer'

    it(`keep their ${kind} when the first caller disconnects`, async () => {
      const [leader, ...others] = await gather(stream, 3)
      const under = gateway.runtime.inFlight.count
      leader?.leave()
      await until('the first is gone', () => gateway.runtime.inFlight.count < under)
      if (stream) beginStream().end(rest.join(''))
      else sendJson(onlyAnswer(), 200, chatAnswer('shared'))
      for (const { asked } of others) {
        const response = await asked
        expect(response.status).to.equal(200)
        expect(await response.text()).to.contain('shared')
      }
      expect(gone).to.equal(0)
    })

    it(`cancel the provider call when every caller has disconnected, ${kind}`, async () => {
      const waiting = await gather(stream, 3)
      for (const { leave } of waiting) leave()
      await until('the call is gone', () => gone === 1)
      const next = call(stream)
      await until('the provider is called again', () => answers.length === 2)
      next.leave()
      await until('that call is gone, too', () => gone === 2)
    })

    it(`share an error instead of a ${kind}, and the next request calls the provider again`, async () => {
      const waiting = await gather(stream, 3)
      sendJson(onlyAnswer(), 500, { error: { message: 'no' } })
      for (const { asked } of waiting) {
        const response = await asked
        expect(response.status).to.equal(500)
        expect(statusOf(response)).to.equal('MISS')
      }
      const next = call(stream)
      await until('the provider is called again', () => answers.length === 2)
      next.leave()
    })

    it(`share a broken connection instead of a ${kind}`, async () => {
      const waiting = await gather(stream, 3)
      onlyAnswer().socket?.destroy()
      for (const { asked } of waiting) expect((await asked).status).to.equal(502)
    })
  }

  it('cancel the provider call when every caller disconnects in the middle of a stream', async () => {
    const waiting = await gather(true, 3)
    beginStream()
    await Promise.all(waiting.map(({ asked }) => asked))
    for (const { leave } of waiting) leave()
    await until('the call is gone', () => gone === 1)
  })

  it('receive the rest of the stream when one caller disconnects in the middle of it', async () => {
    const [leader, ...others] = await gather(true, 3)
    const answer = beginStream()
    await leader?.asked
    leader?.leave()
    const responses = await Promise.all(others.map(({ asked }) => asked))
    answer.end(rest.join(''))
    for (const response of responses) expect(await response.text()).to.equal(chatEvents('shared').join(''))
    expect(gone).to.equal(0)
  })

  it('all receive the error of a stream that breaks off', async () => {
    const waiting = await gather(true, 3)
    const answer = beginStream()
    const responses = await Promise.all(waiting.map(({ asked }) => asked))
    answer.socket?.destroy()
    for (const response of responses) {
      expect(await response.text())
        .to.contain('upstream_invalid_response')
        .and.not.contain('[DONE]')
    }
  })
})
