/** Outbound JSON calls against servers on 127.0.0.1. */
import type { IncomingMessage } from 'node:http'
import zlib from 'node:zlib'
import type { OutboundRequest } from '@gateway/contract'
import { expect } from 'chai'
import { createHostGuard, type HostGuard } from '#upstream/host-guard'
import { createOutbound, type Outbound } from '#upstream/outbound'
import { addressOf, closeOf, createLocalServers, findClosedPort } from './local-server.js'

const loopbackGuard = createHostGuard({ trustedHosts: ['127.0.0.1'] })

describe('outbound calls', () => {
  const servers = createLocalServers()
  const opened: Outbound[] = []

  afterEach(async () => {
    for (const outbound of opened.splice(0)) outbound.close()
    await servers.closeAll()
  })

  function open(guard: HostGuard = loopbackGuard): Outbound {
    const outbound = createOutbound(guard)
    opened.push(outbound)
    return outbound
  }

  const fetchJson = (request: OutboundRequest, outbound = open()) =>
    outbound.fetchJson(request, new AbortController().signal)

  async function failureOf(request: OutboundRequest, outbound = open()) {
    const failure: unknown = await fetchJson(request, outbound).then(
      () => null,
      (error) => error,
    )
    if (!(failure instanceof Error)) throw new Error('the call did not fail')
    return failure
  }

  const bodyOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray()).toString()

  describe('an answer', () => {
    it('has status, headers and JSON; the request arrives with its body and headers', async () => {
      const seen: unknown[] = []
      const { origin } = await servers.http(async (request, response) => {
        const { 'user-agent': agent, 'content-type': type, 'x-key': key, cookie } = request.headers
        seen.push([request.method, request.url, agent, type, key, cookie, await bodyOf(request)])
        response.writeHead(202, { 'x-id': '1', 'set-cookie': 'a=1' }).end('{"verdict":true}')
      })
      const outbound = open()
      const request = { url: `${origin}/check?x=1`, headers: { 'X-Key': 'k' }, json: { text: 'ä' } }
      const answer = await fetchJson({ method: 'POST', ...request }, outbound)
      await fetchJson({ method: 'PUT', ...request }, outbound)
      expect(answer).to.deep.include({ status: 202, json: { verdict: true } })
      expect(answer.headers).to.include({ 'x-id': '1' }).and.not.to.have.property('set-cookie')
      const common = ['/check?x=1', 'gateway', 'application/json', 'k', undefined, '{"text":"ä"}']
      expect(seen).to.deep.equal([
        ['POST', ...common],
        ['PUT', ...common],
      ])
    })

    it('with an error status is returned, and not retried', async () => {
      let calls = 0
      const { origin } = await servers.http((_request, response) => {
        calls += 1
        response.writeHead(503, { 'retry-after': '0' }).end('{"error":"busy"}')
      })
      for (const method of ['GET', 'POST', 'PUT'] as const) {
        const answer = await fetchJson({ method, url: origin })
        expect(answer).to.deep.include({ status: 503, json: { error: 'busy' } })
      }
      expect(calls).to.equal(3)
    })

    it('that is empty or not JSON has null as JSON', async () => {
      const { origin } = await servers.http((request, response) =>
        response.end(request.url === '/text' ? 'OK' : ''),
      )
      expect((await fetchJson({ method: 'POST', url: origin })).json).to.equal(null)
      expect((await fetchJson({ method: 'GET', url: `${origin}/text` })).json).to.equal(null)
    })

    it('that is compressed is decompressed', async () => {
      const { origin } = await servers.http((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(zlib.gzipSync('[1]'))
      })
      expect((await fetchJson({ method: 'GET', url: origin })).json).to.deep.equal([1])
    })
  })

  describe('a redirect', () => {
    /** Redirects to `location`, and answers under /end with the headers that came. */
    const redirecting = (status: number, location: (origin: string) => string) => {
      let origin = ''
      return servers
        .http((request, response) => {
          if (request.url === '/end') response.end(JSON.stringify(request.headers))
          else response.writeHead(status, { location: location(origin) }).end('moved')
        })
        .then((server) => {
          origin = server.origin
          return server
        })
    }

    it('of a GET is followed, with the headers to the same origin', async () => {
      for (const status of [301, 302, 303, 307, 308]) {
        const { origin } = await redirecting(status, () => '/end')
        const answer = await fetchJson({ method: 'GET', url: origin, headers: { 'x-key': 'k' } })
        expect(answer).to.include({ status: 200 })
        expect(answer.json).to.include({ 'x-key': 'k' })
      }
    })

    it('to another origin is followed without the headers of the caller', async () => {
      const other = await redirecting(302, () => '/end')
      const { origin } = await redirecting(302, () => `${other.origin}/end`)
      const headers = { 'x-key': 'k', authorization: 'Bearer k' }
      const answer = await fetchJson({ method: 'GET', url: origin, headers })
      expect(answer.json).to.include({ 'user-agent': 'gateway' })
      expect(answer.json).not.to.have.any.keys('x-key', 'authorization')
    })

    it('of any other method than GET is returned', async () => {
      for (const method of ['POST', 'PUT'] as const) {
        const { origin } = await redirecting(307, () => '/end')
        expect(await fetchJson({ method, url: origin, json: {} })).to.include({ status: 307, json: null })
      }
    })

    it('to a refused host is refused before a connection is made', async () => {
      const guard = createHostGuard({
        trustedHosts: ['127.0.0.1'],
        resolve: async (hostname) =>
          hostname === 'inner.example'
            ? [{ address: '::1', family: 6 }]
            : [{ address: '127.0.0.1', family: 4 }],
      })
      const victim = await servers.http((_request, response) => response.end('{"secret":1}'))
      const { port } = victim
      const targets = [
        ...[`http://[::1]:${port}/`, `http://[0:0:0::1]:${port}/`, `//[::1]:${port}/`, 'file:///etc/passwd'],
        ...[`http://inner.example:${port}/`, `http://me:pw@127.0.0.1:${port}/`],
        `http://metadata.google.internal:${port}/`,
      ]
      for (const target of targets) {
        const { origin } = await redirecting(302, () => target)
        const failure = await failureOf({ method: 'GET', url: origin }, open(guard))
        expect(failure, target).to.include({ code: 'host_not_allowed' })
      }
      expect(victim.connections()).to.equal(0)
    })

    it('with an endless body is aborted, and its connection closes', async () => {
      const closed: Promise<unknown>[] = []
      const { origin, port } = await servers.http((request, response) => {
        closed.push(closeOf(request.socket))
        response.writeHead(302, { location: '/end' })
        const write = () => response.writable && response.write(Buffer.alloc(65_536), write)
        write()
      })
      const failure = await failureOf({ method: 'GET', url: `${origin}/start` })
      expect(failure).to.include({ code: 'dependency_unavailable' })
      expect(failure.message).to.contain('too large an answer').and.not.contain(String(port))
      await Promise.all(closed)
      expect(closed).to.have.length(1)
    })

    it('shares the time limit of the call', async () => {
      let calls = 0
      const { origin } = await servers.http((request, response) => {
        calls += 1
        setTimeout(() => response.writeHead(302, { location: `${request.url}x` }).end(), 40)
      })
      const failure = await failureOf({ method: 'GET', url: `${origin}/`, timeoutMs: 60 })
      // With a separate time limit for each, the maximum number of redirects would be reached before any of them is
      // late.
      expect(failure.message).to.contain('in time')
      expect(calls).to.be.below(4)
    })

    it('that never ends is aborted', async () => {
      let calls = 0
      const { origin } = await servers.http((request, response) => {
        calls += 1
        response.writeHead(302, { location: `${request.url}x` }).end()
      })
      const failure = await failureOf({ method: 'GET', url: `${origin}/` })
      expect(failure).to.include({ code: 'dependency_unavailable' })
      expect(calls).to.be.below(6)
    })
  })

  describe('the host guard', () => {
    it('refuses addresses, names and non-HTTP URLs before a connection is made', async () => {
      const guard = createHostGuard({
        trustedHosts: [],
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      })
      const server = await servers.http((_request, response) => response.end('{}'))
      const hosts = ['127.0.0.1', '127.1', '[::ffff:7f00:1]', 'localhost', 'hook.example.com']
      const urls = hosts.map((host) => `http://${host}:${server.port}/`)
      for (const url of [...urls, 'unix:/var/run/docker.sock:/info', 'not a url']) {
        const failure = await failureOf({ method: 'POST', url, json: {} }, open(guard))
        expect(failure, url).to.include({ code: 'host_not_allowed', status: 400 })
        expect(failure.message, url).not.to.include('127')
      }
      expect(server.connections()).to.equal(0)
    })

    it('connects to the address that was checked', async () => {
      const answers = ['127.0.0.1', '::1']
      const guard = createHostGuard({
        trustedHosts: ['127.0.0.1'],
        resolve: async () => [addressOf(answers.shift())],
      })
      const { port } = await servers.http((_request, response) => response.end('{"ok":true}'))
      const url = `http://hook.example.com:${port}/`
      expect((await fetchJson({ method: 'GET', url }, open(guard))).json).to.deep.equal({ ok: true })
      expect(answers).to.deep.equal(['::1'])
      expect(await failureOf({ method: 'GET', url }, open(guard))).to.include({ code: 'host_not_allowed' })
    })
  })

  describe('a failure is dependency_unavailable without the host:', () => {
    const check = (failure: Error, port: number) => {
      expect(failure).to.include({ code: 'dependency_unavailable', status: 503 })
      expect(failure.message).not.to.match(new RegExp(`127|${port}|secret`))
    }

    it('a refused connection', async () => {
      const port = await findClosedPort()
      check(await failureOf({ method: 'POST', url: `http://127.0.0.1:${port}/secret` }), port)
    })

    it('a connection that breaks off before or during the answer', async () => {
      for (const bytes of ['', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort', 'not HTTP at all\r\n']) {
        const { origin, port } = await servers.tcp((socket) => {
          socket.once('data', () => socket.end(bytes))
        })
        check(await failureOf({ method: 'GET', url: origin }), port)
      }
    })

    it('an answer above the size limit, whose connection is closed', async () => {
      const closed: Promise<unknown>[] = []
      const { origin, port } = await servers.http((request, response) => {
        closed.push(closeOf(request.socket))
        if (request.url === '/packed') response.setHeader('content-encoding', 'gzip')
        const zeros = Buffer.alloc(3_000_000)
        response.write(request.url === '/packed' ? zlib.gzipSync(zeros).subarray(0, -10) : zeros)
      })
      for (const path of ['/plain', '/packed']) {
        check(await failureOf({ method: 'GET', url: origin + path }), port)
      }
      check(await failureOf({ method: 'GET', url: origin, maxBytes: 10 }), port)
      await Promise.all(closed)
      expect(closed).to.have.length(3)
    })

    it('an answer that does not arrive in time', async () => {
      const { origin, port } = await servers.http(() => undefined)
      check(await failureOf({ method: 'GET', url: origin, timeoutMs: 20 }), port)
    })

    it('a header that HTTP does not allow', async () => {
      const { origin, port } = await servers.http((_request, response) => response.end())
      check(await failureOf({ method: 'GET', url: origin, headers: { 'x-key': 'secret\n' } }), port)
    })
  })

  it("made for the machine's own cloud identity skip the host guard, and their redirects are not followed", async () => {
    const outbound = open(createHostGuard({ trustedHosts: [] }))
    const { origin } = await servers.http((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/token' })
      response.end('here')
    })
    const fetch = (path: string, isAmbient: boolean) =>
      outbound.fetch({ method: 'GET', url: origin + path, isAmbient }, new AbortController().signal)
    const { status, bytes } = await fetch('/token', true)
    expect([status, bytes.toString()]).to.deep.equal([200, 'here'])
    expect((await fetch('/moved', true)).status).to.equal(302)
    const refused = await fetch('/token', false).catch((error) => error)
    expect(refused).to.include({ code: 'host_not_allowed' })
  })

  it('are unaffected by an abort after the answer', async () => {
    const controller = new AbortController()
    const { origin } = await servers.http((_request, response) => response.end('[1]'))
    const { json } = await open().fetchJson({ method: 'GET', url: origin }, controller.signal)
    controller.abort(new Error('the caller left'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(json).to.deep.equal([1])
  })

  it('reject with the reason of the signal when aborted before or during the call', async () => {
    const reason = new Error('the caller left')
    const controller = new AbortController()
    const { origin } = await servers.http(() => controller.abort(reason))
    const request: OutboundRequest = { method: 'POST', url: origin, json: {} }
    const during = open().fetchJson(request, controller.signal)
    expect(await during.catch((error) => error)).to.equal(reason)
    const before = open().fetchJson(request, controller.signal)
    expect(await before.catch((error) => error)).to.equal(reason)
  })
})
