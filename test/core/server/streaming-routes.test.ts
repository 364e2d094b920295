/** Routes of a service whose handler reads the body itself, and streamed answers. */
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { expect } from 'chai'
import { turnUntil } from '../../support/clock.ts'
import { packageDirectory } from '../../support/fixture-package.ts'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { askRaw } from '../../support/raw-request.ts'

const source = `
import { createHash } from 'node:crypto'
const route = (method, path, handle, rest = {}) =>
  ({ method, path: '/v1/streams' + path, operationId: path.slice(1), summary: path, tag: 'Streams', scope: null, handle, ...rest })
const seen = { left: 0, read: 0, most: 0, stopped: false, produced: 0 }
const bytes = (stream, headers = {}) => ({ status: 200, headers: { 'content-type': 'text/plain', ...headers }, body: { stream } })
async function* endless(signal) {
  signal.addEventListener('abort', () => { seen.left += 1 })
  try {
    for (;;) { seen.produced += 65536; yield Buffer.alloc(65536, 97) }
  } finally { seen.stopped = true }
}
async function* events() {
  for (const data of [{ n: 1 }, { n: 2 }]) yield { event: 'entry', id: String(data.n), data }
}
async function* broken(after) {
  for (let count = 0; count < after; count += 1) yield Buffer.from('part')
  throw new Error('the source broke')
}
const frames = (list) => bytes((async function* () {
  for await (const { event, data } of list) yield Buffer.from('event: ' + event + '\\ndata: ' + JSON.stringify(data) + '\\n\\n')
})(), { 'content-type': 'text/event-stream' })
export default {
  name: 'streams', title: 'Streams', needs: ['stopping'], open: ({ stopping }) => ({ routes: [
    route('POST', '/upload', async ({ bodyStream, body, headers }) => {
      const hash = createHash('sha256')
      let size = 0
      for await (const chunk of bodyStream) { hash.update(chunk); size += chunk.length; seen.read = size }
      return { status: 200, body: { size, digest: hash.digest('hex'), body, type: headers['content-type'] } }
    }, { streamsBody: true }),
    route('POST', '/refuse', async () => ({ status: 413, body: { refused: true } }), { streamsBody: true }),
    route('POST', '/parsed', async ({ bodyStream }) => ({ status: 200, body: { bodyStream } }), { body: { type: 'object' } }),
    route('GET', '/endless', async ({ signal }) => bytes(endless(signal))),
    route('GET', '/events', async () => frames(events())),
    route('GET', '/broken', async () => bytes(broken(0))),
    route('GET', '/breaking', async () => bytes(broken(2))),
    route('GET', '/sized', async () => bytes((async function* () { yield Buffer.from('12345') })(), { 'content-length': '5' })),
    route('GET', '/seen', async () => ({ status: 200, body: { ...seen, stopping: stopping.aborted } })),
  ] }),
}`

describe('a streaming route of a service', () => {
  const packages = packageDirectory()
  let gateway: TestGateway
  before(async () => {
    const directory = await packages.write({ name: 'streams-service', kind: 'service', source })
    gateway = await startGateway({ plugins: { packages: [directory] }, server: { body_limit: 1000 } })
  })
  after(() => gateway.stop())

  const auth = { 'x-gateway-api-key': adminKey }
  const seen = async () => (await gateway.get('/v1/streams/seen')).json() as Promise<Record<string, number>>

  it('receives a body of any type and size as it arrives, unparsed and beyond server.body_limit', async () => {
    const sent = Buffer.alloc(5_000_000, 'bytes of a file')
    const answer = await fetch(`${gateway.url}/v1/streams/upload`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/x-anything' },
      body: sent,
    })
    expect(answer.status).to.equal(200)
    expect(await answer.json()).to.deep.equal({
      size: sent.length,
      digest: createHash('sha256').update(sent).digest('hex'),
      body: null,
      type: 'application/x-anything',
    })
  })

  it("does not count the bytes it reads towards the process's buffer limit", async () => {
    const { hostname, port } = new URL(gateway.url)
    const sent = request({ hostname, port, method: 'POST', path: '/v1/streams/upload', headers: auth })
    sent.on('error', () => undefined)
    sent.write(Buffer.alloc(300_000))
    await turnUntil(() => gateway.runtime.inFlight.count > 0, 'the request')
    let read = 0
    for (let tries = 0; read < 300_000 && tries < 200; tries += 1) read = (await seen()).read ?? 0
    expect(read).to.equal(300_000)
    expect(gateway.runtime.buffers.heldBytes).to.equal(0)
    sent.destroy()
    await turnUntil(() => gateway.runtime.inFlight.count === 0, 'the end of the request')
  })

  it('can refuse a body without reading it, and the connection serves the next request', async () => {
    const answer = await fetch(`${gateway.url}/v1/streams/refuse`, {
      method: 'POST',
      headers: auth,
      body: Buffer.alloc(200_000),
    })
    expect([answer.status, await answer.json()]).to.deep.equal([413, { refused: true }])
    expect((await gateway.get('/v1/streams/seen')).status).to.equal(200)
  })

  it('receives no stream unless it declares one', async () => {
    const answer = await gateway.post('/v1/streams/parsed', { a: 1 })
    expect(await answer.json()).to.deep.equal({ bodyStream: null })
  })

  it('answers with events as they arrive', async () => {
    const answer = await gateway.get('/v1/streams/events')
    expect(answer.headers.get('content-type')).to.equal('text/event-stream')
    expect(await answer.text()).to.equal('event: entry\ndata: {"n":1}\n\nevent: entry\ndata: {"n":2}\n\n')
  })

  it('answers with bytes of a known length, and HEAD with only the length', async () => {
    const answer = await gateway.get('/v1/streams/sized')
    expect([answer.headers.get('content-length'), await answer.text()]).to.deep.equal(['5', '12345'])
    const head = await askRaw(gateway.url, { method: 'HEAD', path: '/v1/streams/sized', headers: auth })
    expect([head.status, head.headers['content-length'], head.text]).to.deep.equal([200, '5', ''])
  })

  it('answers 500 when the stream fails before its first bytes', async () => {
    const answer = await gateway.get('/v1/streams/broken')
    expect(answer.status).to.equal(500)
    expect(((await answer.json()) as { error: { code: string } }).error.code).to.equal('internal_error')
  })

  it('closes the connection when the stream fails after its first bytes', async () => {
    const answer = await gateway.get('/v1/streams/breaking')
    expect(answer.status).to.equal(200)
    const failure = await answer.text().then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(Error)
  })

  it('applies backpressure, and is notified when the caller disconnects', async () => {
    const { hostname, port } = new URL(gateway.url)
    const path = '/v1/streams/endless'
    await new Promise<void>((resolve, reject) => {
      const asked = request({ hostname, port, path, headers: auth }, (answer) => {
        answer.on('error', () => undefined)
        answer.once('readable', () => resolve(leaveLater(asked)))
      })
      asked.on('error', reject)
      asked.end()
    })
    await turnUntil(() => gateway.runtime.inFlight.count === 0, 'the end of the request')
    const { left, stopped, produced } = await seen()
    expect([left, stopped]).to.deep.equal([1, true])
    // The size of the socket buffers on both sides.
    expect(produced).to.be.lessThan(50_000_000)
  })

  /** Calls as a client that stops reading for a while. */
  const leaveLater = (asked: ReturnType<typeof request>) => {
    asked.removeAllListeners('error').on('error', () => undefined)
    setTimeout(() => asked.destroy(), 200)
  }
})
