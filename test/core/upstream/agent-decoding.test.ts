/** Encoded answers, and the size limits for reading them. */

import zlib from 'node:zlib'
import { expect } from 'chai'
import { cancellationOf } from '#flow/cancellation'
import { closeOf, createLocalServers } from './local-server.js'
import { createCalls, maxBytes, post, readBody } from './upstream-calls.js'

describe('upstream agent: bodies', () => {
  const servers = createLocalServers()
  const { open, send, failureOf, closeAll } = createCalls()

  afterEach(async () => {
    await servers.closeAll()
    await closeAll()
  })

  describe('an encoded answer', () => {
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

    for (const [index, [coding, encode]] of codings.entries()) {
      it(`in ${coding} (#${index + 1}) is decoded`, async () => {
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

    it('that is empty stays empty', async () => {
      const { origin } = await coded('gzip', Buffer.alloc(0))
      expect(await readBody(await send(origin), maxBytes)).to.have.length(0)
    })

    const broken: [title: string, coding: string, bytes: Buffer][] = [
      ['in an unknown coding', 'zstd', Buffer.from('x')],
      ['in a coding named like a property of every object', 'constructor', Buffer.from('x')],
      ['in too many codings', 'gzip,gzip,gzip,gzip', Buffer.from('x')],
      ['with the wrong encoding', 'gzip', Buffer.from('plain text')],
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

    it('that cannot be decoded closes its connection, even while the upstream is still sending', async () => {
      const closed: Promise<unknown>[] = []
      const { origin } = await servers.http((request, response) => {
        closed.push(closeOf(request.socket))
        response.writeHead(200, { 'content-encoding': 'gzip' })
        response.write('plain text')
      })
      expect(await failureOf(origin)).to.include({ code: 'upstream_invalid_response' })
      await Promise.all(closed)
    })

    it('rejects with the reason when it is aborted', async () => {
      const { origin } = await servers.http((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        response.write(zlib.gzipSync(Buffer.from(text)).subarray(0, 20))
      })
      const controller = new AbortController()
      const answer = await open().send(post(origin), cancellationOf(controller.signal))
      const reason = new Error('the caller left')
      const reading = readBody(answer, maxBytes).catch((error) => error)
      controller.abort(reason)
      expect(await reading).to.equal(reason)
    })
  })

  describe('readBody', () => {
    it('accepts a body of exactly the limit and refuses one byte more, with or without content-length', async () => {
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

    it('refuses a content-length above the limit before it reads the body', async () => {
      const { origin } = await servers.http((_request, response) => {
        response.writeHead(200, { 'content-length': 1001 }).flushHeaders()
      })
      const failure = await readBody(await send(origin), 1000).catch((error) => error)
      expect(failure).to.include({ code: 'upstream_invalid_response' })
    })

    it('stops at a small answer that decompresses to a large one, and closes its connection', async () => {
      const closed: Promise<unknown>[] = []
      const bomb = zlib.gzipSync(Buffer.alloc(200_000_000))
      const { origin } = await servers.http((request, response) => {
        closed.push(closeOf(request.socket))
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
