/** Requirements for an upload: a form within its limits, with the files that its route requires. */
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { form, sound } from '../../../support/form.ts'
import { adminKey } from '../../../support/gateway.ts'
import { askRaw } from '../../../support/raw-request.ts'
import { openScene, readReply } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'

const limit = 20_000
const path = '/v1/audio/transcriptions'

describe('an upload', () => {
  const scene = openScene(() => ({ server: { upload_limit: limit, body_limit: 2000 } }))
  const auth = { 'x-gateway-api-key': adminKey, 'x-gateway-provider': 'echo' }
  const send = async (body: FormData, route = path) =>
    readReply(await fetch(scene.gateway.url + route, { method: 'POST', headers: auth, body }))
  const model: [string, string] = ['model', 'm']

  it('with a file is answered', async () => {
    const { status, body } = await send(form([model], { filename: 'hello.wav' }))
    expect(status).to.equal(200)
    expect(body.text).to.equal('hello.wav, 1000 bytes')
  })

  type Refused = [
    what: string,
    body: FormData,
    route: string,
    status: number,
    code: string,
    ...params: string[],
  ]
  const large = { bytes: Buffer.alloc(limit + 1, 7) }
  const edits = '/v1/images/edits'
  const prompt: [string, string] = ['prompt', 'p']
  const image = { field: 'image' }
  const refused: Refused[] = [
    ['without its file', form([model]), path, 400, 'invalid_file', '/file'],
    [
      'with a text in the place of its file',
      form([model, ['file', 'x']]),
      path,
      400,
      'invalid_file',
      '/file',
    ],
    ['with two files where there is one', form([model], {}, {}), path, 400, 'invalid_file', '/file'],
    ['with an empty file', form([model], { bytes: Buffer.alloc(0) }), path, 400, 'invalid_file', '/file'],
    ['without its file or its model', form([]), path, 400, 'invalid_file', '/file', '/model'],
    ['without its model', form([], {}), path, 400, 'invalid_body', '/model'],
    [
      'with a number that is none',
      form([model, ['temperature', 'warm']], {}),
      path,
      400,
      'invalid_body',
      '/temperature',
    ],
    [
      'with a number that is too high',
      form([model, ['temperature', '1.5']], {}),
      path,
      400,
      'invalid_body',
      '/temperature',
    ],
    [
      'with a granularity that is none',
      form([model, ['timestamp_granularities[]', 'day']], {}),
      path,
      400,
      'invalid_body',
      '/timestamp_granularities/0',
    ],
    ['with a field given twice', form([model, model], {}), path, 400, 'invalid_body', '/model'],
    ['without an image', form([prompt]), edits, 400, 'invalid_file', '/image'],
    ['with too many images', form([prompt], ...Array(17).fill(image)), edits, 400, 'invalid_file', '/image'],
    [
      'with two masks',
      form([prompt], image, { field: 'mask' }, { field: 'mask' }),
      edits,
      400,
      'invalid_file',
      '/mask',
    ],
    ['with a file that is too large', form([model], large), path, 413, 'body_too_large', '/file'],
    [
      'with fields that are too large',
      form([model, ['prompt', 'x'.repeat(2001)]], {}),
      path,
      413,
      'body_too_large',
      '/',
    ],
    [
      'with too many fields',
      form([model, ...Array.from({ length: 501 }, (_, index): [string, string] => [`f${index}`, ''])], {}),
      path,
      413,
      'body_too_large',
      '/',
    ],
    [
      'with too many files',
      form([model], ...Array(33).fill({ bytes: Buffer.from('x') })),
      path,
      413,
      'body_too_large',
      '/',
    ],
  ]
  for (const [what, body, route, status, code, ...params] of refused) {
    it(`${what} is ${status} ${code}`, async () => {
      const reply = await send(body, route)
      expect(reply.status).to.equal(status)
      expect(reply.error).to.include({ type: 'invalid_request_error', code, param: params[0] })
      const details = (reply.error.details ?? []) as { param: string }[]
      if (status === 400) expect(details.map(({ param }) => param)).to.deep.equal(params)
    })
  }

  it('can contain several large files, up to a total limit', async () => {
    const file = { field: 'image', bytes: Buffer.alloc(limit, 1) }
    expect((await send(form([prompt], file, file, file), edits)).status).to.equal(200)
    const { status, error } = await send(form([prompt], file, file, file, file), edits)
    expect([status, error.code]).to.deep.equal([413, 'body_too_large'])
  })

  const raw = (headers: Record<string, string>, body: string | Buffer, route = path) =>
    askRaw(scene.gateway.url, { method: 'POST', path: route, headers: { ...auth, ...headers }, body }).then(
      ({ status, text }) => ({ status, error: JSON.parse(text).error }),
    )
  const part = '--B\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n--B--\r\n'
  const multipart = { 'content-type': 'multipart/form-data; boundary=B' }
  const types: [what: string, headers: Record<string, string>, body: string | Buffer, param: string][] = [
    ['as JSON', { 'content-type': 'application/json' }, '{"model":"m"}', 'header/content-type'],
    [
      'of another kind of parts',
      { 'content-type': 'multipart/mixed; boundary=B' },
      part,
      'header/content-type',
    ],
    ['without a type', {}, part, 'header/content-type'],
    ['without a boundary', { 'content-type': 'multipart/form-data' }, part, 'header/content-type'],
    ['compressed', { ...multipart, 'content-encoding': 'gzip' }, gzipSync(part), 'header/content-encoding'],
  ]
  for (const [what, headers, body, param] of types) {
    it(`${what} is 415`, async () => {
      const { status, error } = await raw(headers, body)
      expect(status).to.equal(415)
      expect(error).to.include({ code: 'unsupported_media_type', param })
    })
  }

  it('to a route that accepts only JSON is 415', async () => {
    const { status, error } = await raw(multipart, part, '/v1/chat/completions')
    expect([status, error.code]).to.deep.equal([415, 'unsupported_media_type'])
  })

  it('with a malformed form is 400', async () => {
    const { status, error } = await raw(multipart, 'hello')
    expect(status).to.equal(400)
    expect(error).to.include({ code: 'invalid_body', param: '/' })
  })

  it('that is too large is refused before it is read, and the connection stays usable', async () => {
    const statuses: number[] = []
    const { port } = new URL(scene.gateway.url)
    const { Agent } = await import('node:http')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    for (const bytes of [300_000, 10]) {
      statuses.push(
        await new Promise<number>((resolve, reject) => {
          const sent = request(
            {
              port,
              path,
              method: 'POST',
              agent,
              headers: { ...auth, ...multipart, 'content-length': bytes },
            },
            (response) => {
              ports.add(response.socket.localPort)
              response.resume().on('end', () => resolve(response.statusCode ?? 0))
            },
          )
          sent.on('error', reject)
          sent.end(Buffer.alloc(bytes))
        }),
      )
    }
    agent.destroy()
    expect(statuses).to.deep.equal([413, 400])
    expect(ports.size).to.equal(1)
  })

  it('is not logged as a gateway error when its sender disconnects', async () => {
    const logged = scene.gateway.logs.length
    const caller = new AbortController()
    const { inFlight } = scene.gateway.runtime
    const isThere = () => until('the request is there', () => inFlight.count > 0)
    const asked = fetch(scene.gateway.url + path, {
      method: 'POST',
      headers: { ...auth, ...multipart },
      body: new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode(part.slice(0, 20)))
          void isThere().then(() => caller.abort())
          return new Promise(() => undefined)
        },
      }),
      duplex: 'half',
      signal: caller.signal,
    } as RequestInit)
    expect(await asked.catch((error: Error) => error.name)).to.equal('AbortError')
    const lines = await until('the line of the request', () => {
      const found = scene.gateway.logs.slice(logged)
      return found.some(({ outcome }) => outcome === 'client_closed_request') ? found : null
    })
    expect(lines.filter(({ level }) => Number(level) >= 50)).to.deep.equal([])
  })

  it('does not affect the next request', async () => {
    await send(form([model], { bytes: sound }))
    const { status } = await send(form([model]))
    expect(status).to.equal(400)
  })
})
