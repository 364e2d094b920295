/**
 * A provider that fails at any point of its answer: before any content the caller gets 502 and JSON, afterwards the
 * complete events, one error event, and no `[DONE]`.
 */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { chat, configHeader, json, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { chatAnswer, chatChunk, openUpstream, type Upstream } from '../../support/upstream.ts'
import { bytesOf, dataOf, errorCodeOf, piece } from './events.ts'

/** The connection closes abruptly, or the answer ends as if it were complete. */
const deaths: Record<string, (response: ServerResponse) => void> = {
  'by reset': (response) => response.socket?.resetAndDestroy(),
  'by a closed connection': (response) => response.socket?.end(),
  'by an early end': (response) => response.end(),
}

const opening = JSON.stringify(chatChunk({ role: 'assistant', content: '' }))
const answer = JSON.stringify(chatAnswer('hello'))

/** The data sent before the failure, and the data that the caller receives. */
const beforeContent: {
  when: string
  stream: boolean
  sent: string | null
  headers?: Record<string, string>
}[] = [
  { when: 'before the head of a plain answer', stream: false, sent: null },
  { when: 'before the head of a streamed answer', stream: true, sent: null },
  { when: 'after the head of a plain answer', stream: false, sent: '' },
  { when: 'after the head of a streamed answer', stream: true, sent: '' },
  { when: 'in the middle of a plain answer', stream: false, sent: answer.slice(0, -1) },
  {
    when: 'before the announced end of a plain answer',
    stream: false,
    sent: answer,
    headers: { 'content-length': '9999', connection: 'close' },
  },
  { when: 'after a comment', stream: true, sent: ': hello\n\n' },
  { when: 'after the opening of a stream', stream: true, sent: `data: ${opening}\n\n` },
  { when: 'in the middle of the first event', stream: true, sent: `data: ${piece('hi').slice(0, 20)}` },
]

describe('a provider that fails', () => {
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

  function ask(stream: boolean): Promise<Response> {
    return gateway.post('/v1/chat/completions', chat('hi', { stream }), configHeader(target(upstream.url)))
  }

  function dieAfter(
    sent: string | Buffer | null,
    die: (response: ServerResponse) => void,
    headers = {},
  ): void {
    upstream.handle(async ({ json: body }, response) => {
      if (sent === null) return die(response)
      const type = body?.stream === true ? 'text/event-stream' : 'application/json'
      response.writeHead(200, { 'content-type': type, ...headers })
      response.flushHeaders()
      if (sent.length > 0) await new Promise((resolve) => response.write(sent, resolve))
      die(response)
    })
  }

  for (const [how, die] of Object.entries(deaths)) {
    for (const { when, stream, sent, headers } of beforeContent) {
      it(`${how} ${when} causes a 502`, async () => {
        dieAfter(sent, die, headers)
        const response = await ask(stream)
        expect(response.status).to.equal(502)
        expect(response.headers.get('content-type')).to.contain('application/json')
        expect(response.headers.get('x-gateway-provider')).to.equal('openai')
        expect(response.headers.get('x-gateway-last-used-option-index')).to.equal('config')
        const { error } = await json(response)
        expect(error).to.include({ type: 'upstream_error', param: null })
        expect(error)
          .to.have.property('code')
          .that.matches(/^upstream_(unreachable|invalid_response)$/)
      })
    }

    it(`${how} anywhere after the first content ends the stream with an error`, async () => {
      for (const newline of ['\n', '\r\n', '\r']) {
        const events = [piece('é'), piece('b')]
        const text = Buffer.from(events.map((data) => `data:${data}${newline}${newline}`).join(''))
        const firstEnd = text.indexOf(newline + newline) + 2 * newline.length
        for (let length = firstEnd; length <= text.length; length += 1) {
          const sent = text.subarray(0, length)
          dieAfter(sent, die)
          const response = await ask(true)
          expect(response.status).to.equal(200)
          const received = dataOf(await bytesOf(response))
          const at = `after ${JSON.stringify(sent.toString().slice(-12))}`
          expect(received.slice(0, -1), at).to.deep.equal(length < text.length ? events.slice(0, 1) : events)
          expect(errorCodeOf(received.at(-1)), at).to.equal('upstream_invalid_response')
        }
      }
    })
  }
})
