/**
 * The framing of a stream for its caller, read from the raw connection:
 * https://www.rfc-editor.org/rfc/rfc9112#section-7
 */
import { connect } from 'node:net'
import { expect } from 'chai'
import {
  adminKey,
  chat,
  configHeader,
  startGateway,
  type TestGateway,
  target,
} from '../../support/gateway.ts'
import { chatEvents, openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'

const events = chatEvents('a', 'é', 'x'.repeat(100_000))

describe('the transfer encoding of a stream', () => {
  let gateway: TestGateway
  let upstream: Upstream

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream((_request, response) => sendEvents(response, events))
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  /** Everything that the gateway sends for these requests on one connection, to its end. */
  async function exchange(version: string, connections: readonly string[]): Promise<string> {
    const body = JSON.stringify(chat('hi', { stream: true }))
    const headers = { 'x-gateway-api-key': adminKey, ...configHeader(target(upstream.url)) }
    const requests = connections.map((connection) =>
      [
        `POST /v1/chat/completions HTTP/${version}`,
        'host: gateway',
        `connection: ${connection}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        `\r\n${body}`,
      ].join('\r\n'),
    )
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.write(requests.join(''))
    const pieces: Buffer[] = []
    for await (const bytes of socket) pieces.push(bytes as Buffer)
    return Buffer.concat(pieces).toString('latin1')
  }

  it('is chunked, and the connection serves the next request after the last chunk', async () => {
    let rest = await exchange('1.1', ['keep-alive', 'close'])
    for (const _ of [1, 2]) {
      expect(rest).to.match(/^HTTP\/1\.1 200 .*\r\ntransfer-encoding: chunked\r\n/is)
      rest = rest.slice(rest.indexOf('\r\n\r\n') + 4)
      const [body, behind] = unchunk(rest)
      expect(body).to.equal(events.join(''))
      rest = behind
    }
    expect(rest).to.equal('')
  })

  it('is delimited by the end of the connection for an HTTP/1.0 client', async () => {
    const text = await exchange('1.0', ['close'])
    const [head = '', ...body] = text.split('\r\n\r\n')
    expect(head.toLowerCase()).not.to.contain('transfer-encoding')
    expect(Buffer.from(body.join('\r\n\r\n'), 'latin1').toString()).to.equal(events.join(''))
  })
})

/** The chunked body at the beginning of a text, and the text after it. */
function unchunk(text: string): [body: string, behind: string] {
  let body = ''
  let at = 0
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    const start = lineEnd + 2
    expect(text.slice(start + size, start + size + 2)).to.equal('\r\n')
    at = start + size + 2
    if (size === 0) return [Buffer.from(body, 'latin1').toString(), text.slice(at)]
    body += text.slice(start, start + size)
  }
}
