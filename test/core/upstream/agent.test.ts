/** The client of inference calls against servers that behave well and badly, all on 127.0.0.1. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import zlib from 'node:zlib'
import type { UpstreamRequest } from '@gateway/core/contract'
import { expect } from 'chai'
import {
  createUpstreamAgent,
  readBody,
  type UpstreamAgent,
  type UpstreamAgentOptions,
  type UpstreamAnswer,
} from '#core/upstream/agent'
import { createHostGuard } from '#core/upstream/host-guard'
import { createLocalServers, findClosedPort } from './local-server.js'

const loopbackGuard = createHostGuard({ trustedHosts: ['127.0.0.1'] })
const maxBytes = 1_000_000

describe('upstream agent', () => {
  const servers = createLocalServers()
  const agents: UpstreamAgent[] = []

  afterEach(async () => {
    await servers.closeAll()
    await Promise.all(agents.splice(0).map((agent) => agent.close()))
  })

  function open(options: Partial<UpstreamAgentOptions> = {}): UpstreamAgent {
    const agent = createUpstreamAgent({ guard: loopbackGuard, ...options })
    agents.push(agent)
    return agent
  }

  const post = (url: string, body = '{}'): UpstreamRequest => ({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body,
  })

  const unhurried = () => ({ signal: new AbortController().signal })

  const send = (url: string, agent = open()): Promise<UpstreamAnswer> => agent.send(post(url), unhurried())

  /** The error of a call, or of reading what it answered. */
  async function failureOf(url: string, agent = open()) {
    const failure: unknown = await send(url, agent)
      .then((answer) => readBody(answer, maxBytes))
      .then(
        () => null,
        (error) => error,
      )
    if (!(failure instanceof Error)) throw new Error('the call did not fail')
    return failure
  }

  /** A server that answers any request with these bytes and then does what `after` says. */
  const rawServer = (bytes: string | Buffer, after: (socket: Socket) => void = (socket) => socket.end()) =>
    servers.tcp((socket) => {
      socket.once('data', () => socket.write(bytes, () => after(socket)))
    })

  describe('an answer', () => {
    it('carries status, headers and body; the request arrives as it was written', async () => {
      const seen: unknown[] = []
      const { origin, port } = await servers.http(async (request, response) => {
        const body = Buffer.concat(await request.toArray())
        const { host, 'content-length': length, authorization } = request.headers
        seen.push([request.method, request.url, host, length, authorization, body.toString()])
        response.setHeader('X-Request-Id', 'r1')
        response.setHeader('set-cookie', ['a=1', 'b=2'])
        response.setHeader('via', ['one', 'two'])
        response.writeHead(201).end('{"ok":true}')
      })
      const answer = await open().send(
        {
          method: 'POST',
          url: `${origin}/v1/chat?api-version=2#part`,
          headers: { authorization: 'Bearer k' },
          body: '{"ä":1}',
        },
        unhurried(),
      )
      expect(answer.status).to.equal(201)
      expect(answer.headers).to.include({ 'x-request-id': 'r1', via: 'one, two' })
      expect(answer.headers).not.to.have.property('set-cookie')
      expect((await readBody(answer, maxBytes)).toString()).to.equal('{"ok":true}')
      expect(seen).to.deep.equal([
        ['POST', '/v1/chat?api-version=2', `127.0.0.1:${port}`, '8', 'Bearer k', '{"ä":1}'],
      ])
    })

    it('with any status is an answer, and a redirect is not followed', async () => {
      const other = await servers.http((_request, response) => response.end())
      const { origin } = await servers.http((request, response) => {
        const status = Number(request.url?.slice(1))
        response.writeHead(status, { location: other.origin }).end()
      })
      for (const status of [302, 307, 404, 429, 500, 529]) {
        const answer = await send(`${origin}/${status}`)
        expect(answer.status).to.equal(status)
        answer.body.dump()
      }
      expect(other.connections()).to.equal(0)
    })

    it('without a body has an empty one', async () => {
      const { origin } = await servers.http((_request, response) => response.writeHead(204).end())
      expect(await readBody(await send(origin), maxBytes)).to.have.length(0)
    })

    it('may begin with an informational answer', async () => {
      const { origin } = await servers.http((_request, response) => {
        response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.end('ok'))
      })
      expect((await readBody(await send(origin), maxBytes)).toString()).to.equal('ok')
    })

    it('is read as it arrives', async () => {
      const gates: (() => void)[] = []
      const { origin } = await servers.http((_request, response) => {
        response.write('one')
        gates.push(() => response.end('two'))
      })
      const { body } = await send(origin)
      expect(String((await body.next()).value)).to.equal('one')
      gates[0]?.()
      expect(String((await body.next()).value)).to.equal('two')
      expect(await body.next()).to.deep.equal({ done: true, value: undefined })
    })

    it('larger than the reader takes holds the upstream back, and arrives whole', async () => {
      const size = 20_000_000
      const { origin } = await servers.http((_request, response) => response.end(Buffer.alloc(size, 'x')))
      const { body } = await send(origin)
      let bytes = 0
      for await (const chunk of body) {
        bytes += chunk.length
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(bytes).to.equal(size)
    })
  })

  describe('connections', () => {
    it('are kept and used again', async () => {
      const server = await servers.http((_request, response) => response.end('ok'))
      const agent = open({ connections: 1 })
      for (let call = 0; call < 5; call += 1) await readBody(await send(server.origin, agent), maxBytes)
      expect(server.connections()).to.equal(1)
    })

    it('serve again after a dump, and do not after a destroy', async () => {
      const server = await servers.http((_request, response) => response.end('a short answer'))
      const agent = open({ connections: 1 })
      const first = await send(server.origin, agent)
      first.body.dump()
      const second = await send(server.origin, agent)
      expect(server.connections()).to.equal(1)
      second.body.destroy()
      expect(await second.body.next()).to.deep.equal({ done: true, value: undefined })
      await readBody(await send(server.origin, agent), maxBytes)
      expect(server.connections()).to.be.within(1, 2)
    })

    it('end when a stream is left, dumped without end, or destroyed', async () => {
      const closed: Promise<unknown>[] = []
      const { origin } = await servers.http((request, response) => {
        closed.push(once(request.socket, 'close'))
        const feed = () => {
          if (response.write('x'.repeat(60_000))) setImmediate(feed)
          else response.once('drain', feed)
        }
        feed()
      })
      for await (const _chunk of (await send(origin)).body) break
      const dumped = await send(origin)
      dumped.body.dump()
      const destroyed = await send(origin)
      destroyed.body.destroy()
      await Promise.all(closed)
      expect(closed).to.have.length(3)
    })

    it('of the origin that was idle longest make room for a new origin; one in use never does', async () => {
      const held = await servers.http((_request, response) => void response.write('held'))
      const agent = open({ maxOrigins: 2 })
      const stream = await send(held.origin, agent)
      const others = await Promise.all(
        [1, 2, 3].map(() => servers.http((_request, response) => response.end('ok'))),
      )
      for (const { origin } of others) await readBody(await send(origin, agent), maxBytes)
      const second = await send(held.origin, agent)
      expect(String((await stream.body.next()).value)).to.equal('held')
      expect(String((await second.body.next()).value)).to.equal('held')
      stream.body.destroy()
      second.body.destroy()
    })

    it('to more origins than the bound at the same time are all served', async () => {
      const opened = await Promise.all(
        [1, 2, 3, 4].map(() => servers.http((_request, response) => response.end('ok'))),
      )
      const agent = open({ maxOrigins: 1 })
      const answers = await Promise.all(opened.map(({ origin }) => send(origin, agent)))
      const bodies = await Promise.all(answers.map((answer) => readBody(answer, maxBytes)))
      expect(bodies.map(String)).to.deep.equal(['ok', 'ok', 'ok', 'ok'])
    })

    it('are refused after close, which waits for what is in flight', async () => {
      const gates: (() => void)[] = []
      const { origin } = await servers.http((_request, response) => {
        response.write('begun ')
        gates.push(() => response.end('done'))
      })
      const agent = open()
      const answer = await send(origin, agent)
      const closing = agent.close()
      expect(await failureOf(origin, agent)).to.include({ code: 'shutting_down' })
      gates[0]?.()
      expect((await readBody(answer, maxBytes)).toString()).to.equal('begun done')
      await closing
    })
  })

  describe('the host guard', () => {
    it('stops every spelling of an address that is not trusted, and no connection is made', async () => {
      const server = await servers.http((_request, response) => response.end('ok'))
      const guard = createHostGuard({
        trustedHosts: [],
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      })
      const hosts = ['127.0.0.1', '2130706433', '0x7f.1', 'localhost', '[::ffff:127.0.0.1]', 'a.example.com']
      for (const host of hosts) {
        const failure = await failureOf(`http://${host}:${server.port}/`, open({ guard }))
        expect(failure, host).to.include({ code: 'host_not_allowed', status: 400 })
        expect(failure.message, host).not.to.include('127.0.0.1')
      }
      for (const url of ['file:///etc/passwd', 'no url', `http://user:secret@127.0.0.1:${server.port}/`]) {
        expect(await failureOf(url), url).to.include({ code: 'host_not_allowed' })
      }
      expect(server.connections()).to.equal(0)
    })

    it('lets a name through to the address that was checked, under its own name', async () => {
      const { port } = await servers.http((request, response) => response.end(request.headers.host))
      const answers = ['127.0.0.1', '169.254.169.254']
      const guard = createHostGuard({
        trustedHosts: ['127.0.0.1'],
        resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
      })
      const agent = open({ guard })
      const url = `http://api.example.com:${port}/`
      const held = await send(url, agent)
      // The first connection is in use, so the second call needs one of its own.
      expect(await failureOf(url, agent)).to.include({ code: 'host_not_allowed' })
      expect((await readBody(held, maxBytes)).toString()).to.equal(`api.example.com:${port}`)
    })

    it('goes over an origin anew when a later URL of it carries a password', async () => {
      const { origin, port } = await servers.http((_request, response) => response.end('ok'))
      const agent = open()
      await readBody(await send(origin, agent), maxBytes)
      const failure = await failureOf(`http://me:pw@127.0.0.1:${port}/`, agent)
      expect(failure).to.include({ code: 'host_not_allowed' })
    })
  })

  describe('a failure', () => {
    const http11 = 'HTTP/1.1 200 OK\r\n'
    const raws: [title: string, bytes: string, code: string][] = [
      ['a server that closes without a word', '', 'upstream_unreachable'],
      ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'upstream_invalid_response'],
      ['a head without an end', `${http11}x: y`, 'upstream_unreachable'],
      ['a head that is too large', `${http11}x: ${'y'.repeat(40_000)}\r\n\r\n`, 'upstream_invalid_response'],
      [
        'contradicting lengths',
        `${http11}content-length: 1\r\ncontent-length: 2\r\n\r\nx`,
        'upstream_invalid_response',
      ],
      [
        'a body shorter than announced',
        `${http11}content-length: 9\r\n\r\nshort`,
        'upstream_invalid_response',
      ],
      [
        'a body shorter than announced, on a connection that ends',
        `${http11}connection: close\r\ncontent-length: 9\r\n\r\nshort`,
        'upstream_invalid_response',
      ],
      [
        'chunks without the last one',
        `${http11}transfer-encoding: chunked\r\n\r\n5\r\nshort\r\n`,
        'upstream_invalid_response',
      ],
      [
        'chunks that are none',
        `${http11}transfer-encoding: chunked\r\n\r\nzz\r\nshort\r\n`,
        'upstream_invalid_response',
      ],
    ]
    for (const [title, bytes, code] of raws) {
      it(`by ${title} is ${code}`, async () => {
        const { origin } = await rawServer(bytes)
        expect(await failureOf(origin)).to.include({ code, status: 502 })
      })
    }

    it('by a refused connection is upstream_unreachable and names no host', async () => {
      const port = await findClosedPort()
      const failure = await failureOf(`http://127.0.0.1:${port}/v1/secret-path`)
      expect(failure).to.include({ code: 'upstream_unreachable', status: 502 })
      expect(failure.message).not.to.match(new RegExp(`127|${port}|secret`))
    })

    it('by a reset before the head is upstream_unreachable', async () => {
      const { origin } = await servers.tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
      expect(await failureOf(origin)).to.include({ code: 'upstream_unreachable' })
    })

    it('by a reset in mid-body is upstream_invalid_response, behind what came before', async () => {
      const sockets: Socket[] = []
      const { origin } = await rawServer(`${http11}content-length: 99\r\n\r\nhello`, (socket) => {
        sockets.push(socket)
      })
      const { body } = await send(origin)
      expect(String((await body.next()).value)).to.equal('hello')
      for (const socket of sockets) socket.resetAndDestroy()
      const failure = await body.next().catch((error) => error)
      expect(failure).to.include({ code: 'upstream_invalid_response' })
      expect(await body.next()).to.deep.equal({ done: true, value: undefined })
    })

    it('by a name that does not resolve is upstream_unreachable', async () => {
      const guard = createHostGuard({
        trustedHosts: [],
        resolve: () =>
          Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' })),
      })
      const failure = await failureOf('http://gone.example.com/', open({ guard }))
      expect(failure).to.include({ code: 'upstream_unreachable' })
    })

    it('by a server that speaks no TLS is upstream_unreachable', async () => {
      const { port } = await servers.http((_request, response) => response.end('plain'))
      expect(await failureOf(`https://127.0.0.1:${port}/`)).to.include({ code: 'upstream_unreachable' })
    })

    it('by a head that does not come in time is request_timeout', async () => {
      const { origin } = await servers.http(() => undefined)
      const failure = await failureOf(origin, open({ headersTimeoutMs: 10 }))
      expect(failure).to.include({ code: 'request_timeout', status: 408 })
    })

    it('by a header that HTTP cannot carry is the caller’s', async () => {
      const server = await servers.http((_request, response) => response.end())
      const request = { ...post(server.origin), headers: { authorization: 'Bearer a\r\nx: b' } }
      const failure = await open()
        .send(request, unhurried())
        .catch((error) => error)
      expect(failure).to.include({ code: 'invalid_header', status: 400 })
      expect(failure.message).not.to.include('Bearer')
      expect(server.connections()).to.equal(0)
    })
  })

  describe('an abort rejects with the reason of the signal', () => {
    const reason = new Error('the caller left')

    it('before the call, which is then never made', async () => {
      const server = await servers.http((_request, response) => response.end())
      const failure = await open()
        .send(post(server.origin), { signal: AbortSignal.abort(reason) })
        .catch((error) => error)
      expect(failure).to.equal(reason)
      expect(server.connections()).to.equal(0)
    })

    it('while the call waits for a connection', async () => {
      const paths: unknown[] = []
      const { origin } = await servers.http((request, response) => {
        paths.push(request.url)
        response.write('held')
      })
      const agent = open({ connections: 1 })
      const held = await send(`${origin}/first`, agent)
      const controller = new AbortController()
      const waiting = agent.send(post(`${origin}/second`), { signal: controller.signal })
      controller.abort(reason)
      expect(await waiting.catch((error) => error)).to.equal(reason)
      held.body.destroy()
      const third = await send(`${origin}/third`, agent)
      third.body.destroy()
      expect(paths).to.deep.equal(['/first', '/third'])
    })

    it('before the head, and the upstream sees the connection end', async () => {
      const controller = new AbortController()
      const closed: Promise<unknown>[] = []
      const { origin } = await servers.http((request) => {
        closed.push(once(request.socket, 'close'))
        controller.abort(reason)
      })
      const failure = await open()
        .send(post(origin), { signal: controller.signal })
        .catch((error) => error)
      expect(failure).to.equal(reason)
      await Promise.all(closed)
    })

    it('in mid-body, and the upstream sees the connection end', async () => {
      const controller = new AbortController()
      const closed: Promise<unknown>[] = []
      const { origin } = await servers.http((request, response) => {
        closed.push(once(request.socket, 'close'))
        response.write('begun')
      })
      const answer = await open().send(post(origin), { signal: controller.signal })
      expect(String((await answer.body.next()).value)).to.equal('begun')
      const reading = answer.body.next().catch((error) => error)
      controller.abort(reason)
      expect(await reading).to.equal(reason)
      await Promise.all(closed)
    })

    it('no more once the answer is whole', async () => {
      const controller = new AbortController()
      const { origin } = await servers.http((_request, response) => response.end('whole'))
      const answer = await open().send(post(origin), { signal: controller.signal })
      expect((await readBody(answer, maxBytes)).toString()).to.equal('whole')
      controller.abort(reason)
      expect(await answer.body.next()).to.deep.equal({ done: true, value: undefined })
    })
  })

  describe('a coded answer', () => {
    const text = 'the same text again and again. '.repeat(2000)
    const codings: [name: string, encode: (plain: Buffer) => Buffer][] = [
      ['gzip', zlib.gzipSync],
      ['x-gzip', zlib.gzipSync],
      ['GZip', zlib.gzipSync],
      ['deflate', zlib.deflateSync],
      ['deflate', zlib.deflateRawSync],
      ['br', zlib.brotliCompressSync],
      ['identity', (plain) => plain],
      ['deflate, gzip', (plain) => zlib.gzipSync(zlib.deflateSync(plain))],
    ]
    const coded = (coding: string, bytes: Buffer) =>
      servers.http((_request, response) => {
        response.writeHead(200, { 'content-encoding': coding, 'content-length': bytes.length }).end(bytes)
      })

    for (const [coding, encode] of codings) {
      it(`in ${coding} (${encode.name || 'two'}) is decoded`, async () => {
        const { origin } = await coded(coding, encode(Buffer.from(text)))
        const answer = await send(origin)
        if (coding !== 'identity') {
          expect(answer.headers).not.to.have.any.keys('content-encoding', 'content-length')
        }
        expect((await readBody(answer, maxBytes)).toString()).to.equal(text)
      })
    }

    it('is decoded as it arrives', async () => {
      const gzip = zlib.createGzip()
      const { origin } = await servers.http((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        gzip.pipe(response)
        gzip.write('one')
        gzip.flush()
      })
      const { body } = await send(origin)
      expect(String((await body.next()).value)).to.equal('one')
      gzip.end('two')
      expect(String((await body.next()).value)).to.equal('two')
      expect((await body.next()).done).to.equal(true)
    })

    it('that is empty is empty', async () => {
      const { origin } = await coded('gzip', Buffer.alloc(0))
      expect(await readBody(await send(origin), maxBytes)).to.have.length(0)
    })

    const broken: [title: string, coding: string, bytes: Buffer][] = [
      ['in an unknown coding', 'zstd', Buffer.from('x')],
      ['in a coding named like a property of every object', 'constructor', Buffer.from('x')],
      ['in too many codings', 'gzip,gzip,gzip,gzip', Buffer.from('x')],
      ['that is not what it says', 'gzip', Buffer.from('plain text')],
      ['that is cut short', 'gzip', zlib.gzipSync(Buffer.from(text)).subarray(0, -9)],
      ['that is cut short (br)', 'br', zlib.brotliCompressSync(Buffer.from(text)).subarray(0, -9)],
    ]
    for (const [title, coding, bytes] of broken) {
      it(`${title} is upstream_invalid_response`, async () => {
        const { origin } = await coded(coding, bytes)
        expect(await failureOf(origin)).to.include({ code: 'upstream_invalid_response' })
      })
    }

    it('that breaks off is upstream_invalid_response', async () => {
      const { origin } = await servers.http((_request, response) => {
        const bytes = zlib.gzipSync(Buffer.from(text))
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bytes.length })
        response.write(bytes.subarray(0, 20), () => response.destroy())
      })
      expect(await failureOf(origin)).to.include({ code: 'upstream_invalid_response' })
    })

    it('that an abort ends rejects with the reason', async () => {
      const { origin } = await servers.http((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        response.write(zlib.gzipSync(Buffer.from(text)).subarray(0, 20))
      })
      const controller = new AbortController()
      const answer = await open().send(post(origin), { signal: controller.signal })
      const reason = new Error('the caller left')
      const reading = readBody(answer, maxBytes).catch((error) => error)
      controller.abort(reason)
      expect(await reading).to.equal(reason)
    })
  })

  describe('readBody', () => {
    it('takes a body of just the limit and refuses one byte more, announced or not', async () => {
      const { origin } = await servers.http((request, response) => {
        const body = Buffer.alloc(1000, 'x')
        if (request.url === '/announced') response.setHeader('content-length', body.length)
        response.write(body.subarray(0, 500))
        response.end(body.subarray(500))
      })
      for (const path of ['/announced', '/chunked']) {
        expect(await readBody(await send(origin + path), 1000)).to.have.length(1000)
        const failure = await readBody(await send(origin + path), 999).catch((error) => error)
        expect(failure, path).to.include({ code: 'upstream_invalid_response' })
      }
    })

    it('stops a small answer that unpacks to a large one, and its connection', async () => {
      const closed: Promise<unknown>[] = []
      const bomb = zlib.gzipSync(Buffer.alloc(200_000_000))
      const { origin } = await servers.http((request, response) => {
        closed.push(once(request.socket, 'close'))
        response.writeHead(200, { 'content-encoding': 'gzip' })
        response.write(bomb.subarray(0, -10))
      })
      const before = process.memoryUsage().arrayBuffers
      const failure = await readBody(await send(origin), maxBytes).catch((error) => error)
      expect(failure).to.include({ code: 'upstream_invalid_response' })
      expect(process.memoryUsage().arrayBuffers - before).to.be.below(50_000_000)
      await Promise.all(closed)
    })
  })
})
