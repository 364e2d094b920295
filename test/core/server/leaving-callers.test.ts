/** A caller that disconnects, at any time and in any way, causes no error that an operator has to investigate. */
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { turnUntil } from '../../support/clock.ts'
import { adminKey, chat, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { chatEvents, openUpstream, type Upstream } from '../../support/upstream.ts'

const body = JSON.stringify(chat('x'.repeat(100_000)))
const leaving: Record<string, (socket: Socket) => void> = {
  'with a reset': (socket) => socket.resetAndDestroy(),
  'with a close': (socket) => socket.destroy(),
}

describe('a caller that disconnects', () => {
  let gateway: TestGateway
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream((request, response) => {
      if (request.json?.stream !== true) return
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chatEvents('a'.repeat(100))[1])
    })
    gateway = await startGateway()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const start = (path: string, headers: Record<string, string>) => {
    const lines = Object.entries({
      host: 'x',
      'x-gateway-api-key': adminKey,
      'x-gateway-config': JSON.stringify(target(upstream.url)),
      'content-type': 'application/json',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
  }
  const length = { 'content-length': '200000' }
  const chunked = { 'transfer-encoding': 'chunked' }
  const whole = JSON.stringify(chat())
  const streamed = JSON.stringify(chat('hello', { stream: true }))
  const form = { 'content-type': 'multipart/form-data; boundary=x', ...length }
  const lengthOf = (text: string) => ({ 'content-length': String(text.length) })

  interface Moment {
    name: string
    sent: () => (string | Buffer)[]
    /** Whether the call must have reached the upstream before the caller disconnects. */
    isCalled?: boolean
    /** Whether the answer must have begun. */
    isAnswered?: boolean
  }
  const chatPath = '/v1/chat/completions'
  const moments: Moment[] = [
    { name: 'within the headers', sent: () => ['POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n'] },
    { name: 'after the headers', sent: () => [start(chatPath, length)] },
    { name: 'within the body', sent: () => [start(chatPath, length), body] },
    {
      name: 'within a chunk of the body',
      sent: () => [start(chatPath, chunked), `${(200_000).toString(16)}\r\n`, body],
    },
    {
      name: 'within a packed body',
      sent: () => [
        start(chatPath, { ...length, 'content-encoding': 'gzip' }),
        gzipSync(body).subarray(0, 100),
      ],
    },
    {
      name: 'within a body packed by brotli',
      sent: () => [start(chatPath, { ...length, 'content-encoding': 'br' }), Buffer.alloc(5)],
    },
    {
      name: 'within a form',
      sent: () => [start('/v1/images/edits', form), '--x\r\ncontent-disposition: form-data'],
    },
    { name: 'within a body for the proxy', sent: () => [start('/v1/proxy/things', length), body] },
    { name: 'within a body of the management API', sent: () => [start('/v1/configs', length), body] },
    {
      name: 'within a body at sign-in',
      sent: () => [start('/v1/auth/login', { 'content-length': '5000' }), '{'],
    },
    {
      name: 'while the provider is asked',
      sent: () => [start(chatPath, lengthOf(whole)), whole],
      isCalled: true,
    },
    {
      name: 'within a stream',
      sent: () => [start(chatPath, lengthOf(streamed)), streamed],
      isCalled: true,
      isAnswered: true,
    },
    {
      name: 'after an answer, during the next request',
      sent: () => ['GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n', start(chatPath, length), body],
      isAnswered: true,
    },
  ]

  for (const { name, sent, isCalled = false, isAnswered = false } of moments) {
    for (const [how, leave] of Object.entries(leaving)) {
      it(`is not logged as an error: ${name}, ${how}`, async () => {
        const logged = gateway.logs.length
        const reached = upstream.seen.length + 1
        const { hostname, port } = new URL(gateway.url)
        const socket = connect(Number(port), hostname)
        socket.on('error', () => undefined)
        let answer = ''
        socket.on('data', (chunk) => {
          answer += String(chunk)
        })
        for (const piece of sent()) {
          await new Promise<void>((resolve) => {
            socket.write(piece, () => resolve())
          })
        }
        if (isCalled) await turnUntil(() => upstream.seen.length >= reached, 'the call of the provider')
        if (isAnswered) await turnUntil(() => answer.length > 0, 'the begin of an answer')
        // The gateway serves this request only after it has noticed the end of the other connection.
        leave(socket)
        await turnUntil(() => gateway.runtime.inFlight.count === 0, 'the end of the request')
        for (let count = 0; count < 3; count += 1) await gateway.get('/healthz')
        const errors = gateway.logs.slice(logged).filter(({ level }) => Number(level) >= 40)
        expect(errors).to.deep.equal([])
      })
    }
  }

  const multipart = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n{}\r\n--x--\r\n`
  const formOf = (text: string) => ({ 'content-type': 'multipart/form-data; boundary=x', ...lengthOf(text) })
  const packed = gzipSync(whole)
  const unread: [what: string, pieces: () => (string | Buffer)[]][] = [
    ['a body', () => [start(chatPath, lengthOf(whole)), whole]],
    [
      'a packed body',
      () => [
        start(chatPath, { 'content-length': String(packed.length), 'content-encoding': 'gzip' }),
        packed,
      ],
    ],
    ['a form', () => [start('/v1/images/edits', formOf(multipart)), multipart]],
    ['an upload', () => [start('/v1/files', formOf(multipart)), multipart]],
    ['a body for the proxy', () => [start('/v1/proxy/things', lengthOf(whole)), whole]],
    ['a body of the management API', () => [start('/v1/configs', lengthOf(whole)), whole]],
  ]
  for (const [what, pieces] of unread) {
    it(`is not logged as an error before ${what} is read`, async () => {
      const { identities } = gateway.runtime
      const { find } = identities
      let isAsked = false
      let proceed: () => void = () => undefined
      const released = new Promise<void>((resolve) => {
        proceed = resolve
      })
      identities.find = async (claim) => {
        isAsked = true
        await released
        const caller = await find({ ...claim, presented: { ...claim.presented, kind: 'key' } })
        return { ...caller, identity: { ...caller.identity, scopes: new Set(['*']) } }
      }
      try {
        const logged = gateway.logs.length
        const { hostname, port } = new URL(gateway.url)
        const socket = connect(Number(port), hostname)
        socket.on('error', () => undefined)
        socket.write(Buffer.concat(pieces().map((piece) => Buffer.from(piece))))
        await turnUntil(() => isAsked, 'authentication')
        socket.resetAndDestroy()
        // The request ends with its connection, even if its handler is still waiting.
        await turnUntil(() => gateway.runtime.inFlight.count <= 1, 'the end of the connection')
        for (let turn = 0; turn < 3; turn += 1) await fetch(`${gateway.url}/healthz`)
        proceed()
        await turnUntil(() => gateway.runtime.inFlight.count === 0, 'the end of the request')
        const errors = gateway.logs.slice(logged).filter(({ level }) => Number(level) >= 40)
        expect(errors).to.deep.equal([])
      } finally {
        proceed()
        identities.find = find
      }
    })
  }
})
