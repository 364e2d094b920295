/** The client of inference calls with correct servers, all on 127.0.0.1. */

import { expect } from 'chai'
import { createHostGuard } from '#upstream/host-guard'
import { addressOf, closeOf, createLocalServers } from './local-server.js'
import { createCalls, maxBytes, nextTurn, readBody, unhurried } from './upstream-calls.js'

const chunkOfAnswer = Buffer.alloc(60_000, 'x')

describe('upstream agent', () => {
  const servers = createLocalServers()
  const { open, send, failureOf, closeAll } = createCalls()

  afterEach(async () => {
    await servers.closeAll()
    await closeAll()
  })

  describe('an answer', () => {
    it('has status, headers and body; the request arrives unchanged', async () => {
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

    it('with any status is returned, and a redirect is not followed', async () => {
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

    it('can begin with an informational response', async () => {
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

    it('whose chunks arrive together is read at once, to its end', async () => {
      const chunks = Array.from({ length: 20 }, (_, index) => `4\r\n${1000 + index}\r\n`).join('')
      const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
      const { origin } = await servers.tcp((socket) => {
        socket.once('data', () => socket.write(`${head}${chunks}0\r\n\r\n`))
      })
      const { body } = await send(origin)
      const text = Array.from({ length: 20 }, (_, index) => 1000 + index).join('')
      expect(String((await body.next()).value)).to.equal(text)
      expect(await body.next()).to.deep.equal({ done: true, value: undefined })
    })

    it('larger than the read buffer arrives completely', async () => {
      const size = 20_000_000
      const { origin } = await servers.http((_request, response) => response.end(Buffer.alloc(size, 'x')))
      const { body } = await send(origin)
      let bytes = 0
      for await (const chunk of body) {
        bytes += chunk.length
        await nextTurn()
      }
      expect(bytes).to.equal(size)
    })

    it('that is not read applies backpressure to the upstream', async () => {
      let written = 0
      const { origin } = await servers.http((_request, response) => {
        const feed = () => {
          written += chunkOfAnswer.length
          if (response.write(chunkOfAnswer)) setImmediate(feed)
          else response.once('drain', feed)
        }
        feed()
      })
      const { body } = await send(origin)
      for (let turn = 0; turn < 3000; turn += 1) await nextTurn()
      body.destroy()
      expect(written).to.be.below(500 * chunkOfAnswer.length)
    })
  })

  describe('connections', () => {
    it('are kept alive and used again', async () => {
      const server = await servers.http((_request, response) => response.end('ok'))
      const agent = open({ connections: 1 })
      for (let call = 0; call < 5; call += 1) await readBody(await send(server.origin, agent), maxBytes)
      expect(server.connections()).to.equal(1)
    })

    it('are reused after a dump, and not after a destroy', async () => {
      const server = await servers.http((request, response) => {
        if (request.url === '/held') response.write('held')
        else response.end('a short answer')
      })
      const agent = open({ connections: 1 })
      const dumped = await send(server.origin, agent)
      dumped.body.dump()
      const destroyed = await send(`${server.origin}/held`, agent)
      expect(server.connections()).to.equal(1)
      destroyed.body.destroy()
      expect(await destroyed.body.next()).to.deep.equal({ done: true, value: undefined })
      await readBody(await send(server.origin, agent), maxBytes)
      expect(server.connections()).to.equal(2)
    })

    it('close when a stream is cancelled or destroyed, and when a dump does not reach the end', async () => {
      const closed: Promise<unknown>[] = []
      const { origin } = await servers.http((request, response) => {
        closed.push(closeOf(request.socket))
        const feed = () => {
          if (response.write(chunkOfAnswer)) setImmediate(feed)
          else response.once('drain', feed)
        }
        if (request.url === '/held') response.write('held')
        else feed()
      })
      for await (const _chunk of (await send(origin)).body) break
      const destroyed = await send(origin)
      destroyed.body.destroy()
      for (const path of ['/endless', '/held']) {
        const dumped = await send(origin + path)
        dumped.body.dump()
      }
      await Promise.all(closed)
      expect(closed).to.have.length(4)
    })

    /** Servers that keep a connection as long as the agent does. */
    async function openPatient(count: number) {
      const closed: Promise<unknown>[] = []
      const opened = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          servers.tcp((socket) => {
            closed[index] = closeOf(socket)
            socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
          }),
        ),
      )
      return { closed, opened }
    }

    it('of the origin that was idle longest are closed for a new origin', async () => {
      const { closed, opened } = await openPatient(3)
      const agent = open({ maxOrigins: 2, keepAliveMs: 600_000 })
      const call = async (index: number) => readBody(await send(opened[index]?.origin ?? '', agent), maxBytes)
      for (const index of [0, 1, 0, 2]) await call(index)
      await closed[1]
      await call(0)
      expect(opened.map((server) => server.connections())).to.deep.equal([1, 1, 1])
    })

    it('of an origin in use are never closed for another one', async () => {
      const held = await servers.http((_request, response) => void response.write('held'))
      const agent = open({ maxOrigins: 1 })
      const stream = await send(held.origin, agent)
      const other = await servers.http((_request, response) => response.end('ok'))
      await readBody(await send(other.origin, agent), maxBytes)
      expect(String((await stream.body.next()).value)).to.equal('held')
      stream.body.destroy()
    })

    it('to more concurrent origins than the limit all work, and close later', async () => {
      const { closed, opened } = await openPatient(5)
      const [last, ...first] = opened.map(({ origin }) => origin)
      const agent = open({ maxOrigins: 1, keepAliveMs: 600_000 })
      const answers = await Promise.all(first.map((origin) => send(origin, agent)))
      const bodies = await Promise.all(answers.map((answer) => readBody(answer, maxBytes)))
      expect(bodies.map(String)).to.deep.equal(['ok', 'ok', 'ok', 'ok'])
      await readBody(await send(last ?? '', agent), maxBytes)
      await Promise.all(closed.slice(1))
    })

    it('are refused after close, which waits for calls in flight', async () => {
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
    it('refuses every spelling of an untrusted address, without a connection', async () => {
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

    it('connects a host name to the address that was checked, with its own name', async () => {
      const { port } = await servers.http((request, response) => response.end(request.headers.host))
      const answers = ['127.0.0.1', '::1']
      const guard = createHostGuard({
        trustedHosts: ['127.0.0.1'],
        resolve: async () => [addressOf(answers.shift())],
      })
      const agent = open({ guard })
      const url = `http://api.example.com:${port}/`
      const held = await send(url, agent)
      // The first connection is in use, so the second call needs another one.
      expect(await failureOf(url, agent)).to.include({ code: 'host_not_allowed' })
      expect((await readBody(held, maxBytes)).toString()).to.equal(`api.example.com:${port}`)
    })

    it('checks an origin again when a later URL contains a password', async () => {
      const { origin, port } = await servers.http((_request, response) => response.end('ok'))
      const agent = open()
      await readBody(await send(origin, agent), maxBytes)
      const failure = await failureOf(`http://me:pw@127.0.0.1:${port}/`, agent)
      expect(failure).to.include({ code: 'host_not_allowed' })
    })
  })
})
