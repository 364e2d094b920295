/** A connection whose body was refused serves its next request or is closed, but never hangs. */
import { createConnection } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { adminKey, chat, startGateway, type TestGateway } from '../../support/gateway.ts'

const limit = 20_000
const large = Buffer.from(JSON.stringify(chat('x'.repeat(300_000))))
const nonsense = Buffer.alloc(200_000, 'nonsense ')
/** Within the limit. */
const shortNonsense = nonsense.subarray(0, limit - 1)
const random = Buffer.from(Array.from({ length: 150_000 }, (_, index) => (index * 7919) % 251))

interface Case {
  name: string
  body: Buffer
  headers?: Record<string, string>
  path?: string
  isChunked?: boolean
  status: number
}

const gzip = { 'content-encoding': 'gzip' }
const brotli = { 'content-encoding': 'br' }
const form = { 'content-type': 'multipart/form-data; boundary=x' }
const cases: Case[] = [
  { name: 'that is too large', body: large, status: 413 },
  { name: 'that is too large, in chunks', body: large, isChunked: true, status: 413 },
  { name: 'that is too large once it is unpacked', body: gzipSync(large), headers: gzip, status: 413 },
  {
    name: 'in chunks that is too large once it is unpacked',
    body: gzipSync(Buffer.concat([large, random])),
    headers: gzip,
    isChunked: true,
    status: 413,
  },
  { name: 'that is not gzip', body: shortNonsense, headers: gzip, status: 400 },
  { name: 'that is not gzip, in chunks', body: shortNonsense, headers: gzip, isChunked: true, status: 400 },
  { name: 'that is too large, and not gzip either', body: nonsense, headers: gzip, status: 413 },
  { name: 'that is cut gzip', body: gzipSync(random).subarray(0, 300), headers: gzip, status: 400 },
  { name: 'that is not brotli', body: shortNonsense, headers: brotli, status: 400 },
  {
    name: 'that is not brotli, in chunks',
    body: shortNonsense,
    headers: brotli,
    isChunked: true,
    status: 400,
  },
  {
    name: 'that is cut brotli',
    body: brotliCompressSync(random).subarray(0, 50),
    headers: brotli,
    status: 400,
  },
  {
    name: 'that is not deflate',
    body: shortNonsense,
    headers: { 'content-encoding': 'deflate' },
    status: 400,
  },
  { name: 'in an unknown coding', body: nonsense, headers: { 'content-encoding': 'nonsense' }, status: 415 },
  { name: 'in two codings', body: nonsense, headers: { 'content-encoding': 'gzip, br' }, status: 415 },
  { name: 'of another type', body: nonsense, headers: { 'content-type': 'text/plain' }, status: 415 },
  { name: 'that is not JSON', body: nonsense.subarray(0, 5000), status: 400 },
  { name: 'for no route', body: large, path: '/v1/nothing', status: 404 },
  { name: 'of a form that is too large', body: large, headers: form, path: '/v1/images/edits', status: 413 },
  {
    name: 'of a form that is too large, in chunks',
    body: large,
    headers: form,
    path: '/v1/images/edits',
    isChunked: true,
    status: 413,
  },
  { name: 'for the proxy that is too large', body: large, path: '/v1/proxy/things', status: 413 },
  { name: 'at sign-in that is too large', body: large, path: '/v1/auth/login', status: 413 },
]

/**
 * Sends both requests on one connection, the second after the answer to the first. Returns both status codes, or 0 for
 * a closed connection.
 */
function askTwice(origin: string, { body, headers = {}, path, isChunked = false }: Case): Promise<number[]> {
  const { hostname, port } = new URL(origin)
  const head = {
    host: 'x',
    'x-gateway-api-key': adminKey,
    'x-gateway-config': '{"provider":"echo"}',
    'content-type': 'application/json',
    ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) }),
    ...headers,
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  const start = `POST ${path ?? '/v1/chat/completions'} HTTP/1.1\r\n${lines.join('')}\r\n`
  const second = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
  return new Promise((resolve) => {
    let text = ''
    let isAskedAgain = false
    const socket = createConnection(Number(port), hostname, () => {
      socket.write(start)
      socket.write(isChunked ? framed(body) : body)
    })
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
    const hasAnswer = () => /\r\n\r\n\{[\s\S]*\}$/.test(text)
    socket.on('data', (chunk) => {
      text += String(chunk)
      if (isAskedAgain || !hasAnswer()) return
      isAskedAgain = true
      if (!socket.destroyed) socket.write(second)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve([...statuses(), 0, 0].slice(0, 2)))
  })
}

/** Splits the body into chunks of several kilobytes, so it is refused before the last of them. */
function framed(body: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += 8192) {
    const piece = body.subarray(at, at + 8192)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

describe('a keep-alive connection', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ server: { body_limit: limit, upload_limit: limit } })
  })
  after(() => gateway.stop())

  for (const each of cases) {
    it(`is used again, or closed, after a body ${each.name}`, async () => {
      const [first, second] = await askTwice(gateway.url, each)
      expect(first).to.equal(each.status)
      expect(second).to.be.oneOf([200, 0])
    })
  }
})
