/** The client of inference calls with failing servers, and callers that disconnect. */

import type { Socket } from 'node:net'
import { expect } from 'chai'
import { cancellationOf } from '#flow/cancellation'
import { createHostGuard } from '#upstream/host-guard'
import { closeOf, createLocalServers, findClosedPort } from './local-server.js'
import { createCalls, maxBytes, post, readBody, unhurried } from './upstream-calls.js'

describe('upstream agent: failures', () => {
  const servers = createLocalServers()
  const { open, send, failureOf, closeAll } = createCalls()

  afterEach(async () => {
    await servers.closeAll()
    await closeAll()
  })

  /** A server that answers any request with these bytes and then runs `after`. */
  const rawServer = (bytes: string | Buffer, after: (socket: Socket) => void = (socket) => socket.end()) =>
    servers.tcp((socket) => {
      socket.once('data', () => socket.write(bytes, () => after(socket)))
    })

  describe('a failure', () => {
    const http11 = 'HTTP/1.1 200 OK\r\n'
    const raws: [title: string, bytes: string, code: string][] = [
      ['a server that closes without an answer', '', 'upstream_unreachable'],
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
        'invalid chunks',
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

    it('by a refused connection is upstream_unreachable, without the host', async () => {
      const port = await findClosedPort()
      const failure = await failureOf(`http://127.0.0.1:${port}/v1/secret-path`)
      expect(failure).to.include({ code: 'upstream_unreachable', status: 502 })
      expect(failure.message).not.to.match(new RegExp(`127|${port}|secret`))
    })

    it('by a connection reset before the headers is upstream_unreachable', async () => {
      const { origin } = await servers.tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
      expect(await failureOf(origin)).to.include({ code: 'upstream_unreachable' })
    })

    it('by a connection reset in mid-body is upstream_invalid_response, after the bytes that arrived', async () => {
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

    it('by invalid bytes after a chunk is upstream_invalid_response, after that chunk', async () => {
      const sockets: Socket[] = []
      const { origin } = await rawServer(`${http11}transfer-encoding: chunked\r\n\r\n`, (socket) => {
        sockets.push(socket)
      })
      const { body } = await send(origin)
      const reading = body.next()
      for (const socket of sockets) socket.write('5\r\nhello\r\nnonsense\r\n')
      expect(String((await reading).value)).to.equal('hello')
      const failure = await body.next().catch((error) => error)
      expect(failure).to.include({ code: 'upstream_invalid_response' })
    })

    it('by a host name that does not resolve is upstream_unreachable', async () => {
      const guard = createHostGuard({
        trustedHosts: [],
        resolve: () =>
          Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' })),
      })
      const failure = await failureOf('http://gone.example.com/', open({ guard }))
      expect(failure).to.include({ code: 'upstream_unreachable' })
    })

    it('by a server without TLS is upstream_unreachable', async () => {
      const { port } = await servers.http((_request, response) => response.end('plain'))
      expect(await failureOf(`https://127.0.0.1:${port}/`)).to.include({ code: 'upstream_unreachable' })
    })

    it('by headers that do not arrive in time is request_timeout', async () => {
      const { origin } = await servers.http(() => undefined)
      const failure = await failureOf(origin, open({ headersTimeoutMs: 10 }))
      expect(failure).to.include({ code: 'request_timeout', status: 408 })
    })

    it('by a body that stalls is request_timeout', async () => {
      const { origin } = await servers.http((_request, response) => response.write('begun'))
      const failure = await failureOf(origin, open({ bodyTimeoutMs: 10 }))
      expect(failure).to.include({ code: 'request_timeout', status: 408 })
    })

    it('is not caused by a reader that is slow', async () => {
      const { origin } = await servers.http((_request, response) => {
        response.end(Buffer.alloc(1_000_000, 'x'))
      })
      // Long enough for the server to continue writing on a busy machine.
      const { body } = await send(origin, open({ bodyTimeoutMs: 1500 }))
      let bytes = (await body.next()).value?.length ?? 0
      // Longer than the client's timer, which ticks about every second, needs to fire.
      await new Promise((resolve) => setTimeout(resolve, 4000))
      for (let step = await body.next(); step.done !== true; step = await body.next())
        bytes += step.value.length
      expect(bytes).to.equal(1_000_000)
    })

    it('by a header that HTTP does not allow is an error of the caller', async () => {
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
        .send(post(server.origin), cancellationOf(AbortSignal.abort(reason)))
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
      const waiting = agent.send(post(`${origin}/second`), cancellationOf(controller.signal))
      controller.abort(reason)
      expect(await waiting.catch((error) => error)).to.equal(reason)
      held.body.destroy()
      const third = await send(`${origin}/third`, agent)
      third.body.destroy()
      expect(paths).to.deep.equal(['/first', '/third'])
    })

    it('before the headers, and the upstream sees the connection close', async () => {
      const controller = new AbortController()
      const closed: Promise<unknown>[] = []
      const { origin } = await servers.http((request) => {
        closed.push(closeOf(request.socket))
        controller.abort(reason)
      })
      const failure = await open()
        .send(post(origin), cancellationOf(controller.signal))
        .catch((error) => error)
      expect(failure).to.equal(reason)
      await Promise.all(closed)
    })

    it('in mid-body, and the upstream sees the connection close', async () => {
      const controller = new AbortController()
      const closed: Promise<unknown>[] = []
      const { origin } = await servers.http((request, response) => {
        closed.push(closeOf(request.socket))
        response.write('begun')
      })
      const answer = await open().send(post(origin), cancellationOf(controller.signal))
      expect(String((await answer.body.next()).value)).to.equal('begun')
      const reading = answer.body.next().catch((error) => error)
      controller.abort(reason)
      expect(await reading).to.equal(reason)
      await Promise.all(closed)
    })

    it('but not after the answer is complete', async () => {
      const controller = new AbortController()
      const { origin } = await servers.http((_request, response) => response.end('whole'))
      const answer = await open().send(post(origin), cancellationOf(controller.signal))
      expect((await readBody(answer, maxBytes)).toString()).to.equal('whole')
      controller.abort(reason)
      expect(await answer.body.next()).to.deep.equal({ done: true, value: undefined })
    })
  })
})
