/** The size and depth limits of requests, and the errors beyond them. */
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { adminKey, chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { askRaw, sendBytes } from '../../support/raw-request.ts'

const limit = 20_000

/** JSON nested to a depth, built without recursion. */
const nested = (depth: number, inside = '1') => `${'{"a":'.repeat(depth)}${inside}${'}'.repeat(depth)}`

describe('a request', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ server: { body_limit: limit } })
  })
  after(() => gateway.stop())

  const ask = async (
    body: string | Buffer,
    headers: Record<string, string> = {},
    config: unknown = { provider: 'echo' },
  ) => {
    const { status, text } = await askRaw(gateway.url, {
      method: 'POST',
      path: '/v1/chat/completions',
      headers: {
        'x-gateway-api-key': adminKey,
        'content-type': 'application/json',
        'x-gateway-config': typeof config === 'string' ? config : JSON.stringify(config),
        ...headers,
      },
      body,
    })
    return { status, error: JSON.parse(text).error ?? {} }
  }
  /** A chat request of exactly this many bytes. */
  const bodyOf = (bytes: number) => {
    const empty = JSON.stringify(chat(''))
    return JSON.stringify(chat('x'.repeat(bytes - empty.length)))
  }

  describe('with a body', () => {
    it('of exactly the size limit is answered', async () => {
      expect((await ask(bodyOf(limit))).status).to.equal(200)
    })

    const tooLarge: [name: string, body: string | Buffer, headers: Record<string, string>][] = [
      ['of one byte more', bodyOf(limit + 1), {}],
      ['of one byte more, in chunks', bodyOf(limit + 1), { 'transfer-encoding': 'chunked' }],
      ['much larger', bodyOf(3_000_000), {}],
      ['that is larger once it is unpacked', gzipSync(bodyOf(3_000_000)), { 'content-encoding': 'gzip' }],
      ['that is larger and no JSON', 'x'.repeat(limit + 1), {}],
    ]
    for (const [name, body, headers] of tooLarge) {
      it(`${name} is 413`, async () => {
        const { status, error } = await ask(body, headers)
        expect(status).to.equal(413)
        expect(error).to.include({ type: 'invalid_request_error', code: 'body_too_large' })
      })
    }

    it('below the limit after decompression is answered', async () => {
      expect((await ask(gzipSync(bodyOf(limit)), { 'content-encoding': 'gzip' })).status).to.equal(200)
    })

    it('nested 100 levels deep is answered, deeper is 400', async () => {
      const within = (depth: number) => `${JSON.stringify(chat()).slice(0, -1)},"extra":${nested(depth)}}`
      expect((await ask(within(99))).status).to.equal(200)
      const { status, error } = await ask(within(100))
      expect(status).to.equal(400)
      expect(error).to.include({ code: 'invalid_body', param: '/' })
    })

    for (const text of ['['.repeat(9000), `${'['.repeat(9000)}${']'.repeat(9000)}`, nested(1500)]) {
      it(`of nothing but nesting is 400 (${text.slice(0, 8)}, ${text.length})`, async () => {
        const { status, error } = await ask(text)
        expect(status).to.equal(400)
        expect(error.code).to.be.oneOf(['invalid_body', 'invalid_json'])
      })
    }
  })

  describe('with a config', () => {
    it('of the maximum header size is accepted', async () => {
      const config = { provider: 'echo', override_params: { user: 'x'.repeat(60_000) } }
      expect((await ask(JSON.stringify(chat()), {}, config)).status).to.equal(200)
    })

    it('nested too deeply is 400', async () => {
      const text = `{"provider":"echo","override_params":${nested(60)}}`
      const { status, error } = await ask(JSON.stringify(chat()), {}, text)
      expect([status, error.code, error.param]).to.deep.equal([
        400,
        'invalid_header',
        'header/x-gateway-config',
      ])
    })

    it('with many invalid targets lists a limited number of errors', async () => {
      const targets = Array.from({ length: 200 }, () => ({}))
      const { status, error } = await ask(
        JSON.stringify(chat()),
        {},
        { strategy: { mode: 'fallback' }, targets },
      )
      expect([status, error.code]).to.deep.equal([400, 'invalid_config'])
      expect(error.details).to.have.length(100)
    })

    it('with as many invalid targets as fit into a header is refused with 400', async () => {
      const targets = Array.from({ length: 20_000 }, () => ({}))
      const { status, error } = await ask(
        JSON.stringify(chat()),
        {},
        { strategy: { mode: 'fallback' }, targets },
      )
      expect([status, error.code]).to.deep.equal([400, 'invalid_config'])
    })
  })

  describe('that is malformed is answered in the OpenAI-compatible error format:', () => {
    const lines = (first: string, ...headers: string[]) =>
      `${[first, 'host: x', ...headers].join('\r\n')}\r\n\r\n`
    const cases: [name: string, bytes: string, status: number, code: string][] = [
      [
        'headers that are too large',
        lines('GET / HTTP/1.1', `x-large: ${'x'.repeat(70_000)}`),
        431,
        'invalid_header',
      ],
      ['a line that is not a header', lines('GET / HTTP/1.1', 'no header'), 400, 'invalid_header'],
      ['no host', 'GET /v1/models HTTP/1.1\r\n\r\n', 400, 'invalid_header'],
      ['more than can be expected', lines('POST / HTTP/1.1', 'expect: more'), 417, 'invalid_header'],
      ['a line that is not a request', 'hello\r\n\r\n', 400, 'invalid_header'],
      [
        'two lengths',
        lines('POST / HTTP/1.1', 'content-length: 1', 'content-length: 2'),
        400,
        'invalid_header',
      ],
      [
        'a length and chunks',
        lines('POST / HTTP/1.1', 'content-length: 1', 'transfer-encoding: chunked'),
        400,
        'invalid_header',
      ],
      [
        'a target that is not a URL',
        lines('GET http://[::1/ HTTP/1.1', 'connection: close'),
        404,
        'not_found',
      ],
      [
        'a target that is a whole URL',
        lines('GET http://a/v1/models HTTP/1.1', 'connection: close'),
        401,
        'missing_api_key',
      ],
    ]
    for (const [name, bytes, status, code] of cases) {
      it(name, async () => {
        const [head = '', body = ''] = (await sendBytes(gateway.url, bytes)).split('\r\n\r\n')
        expect(head).to.match(new RegExp(`^HTTP/1.1 ${status} `))
        expect(head.toLowerCase()).to.contain('content-type: application/json')
        const { error } = JSON.parse(body)
        expect(error).to.have.all.keys('message', 'type', 'param', 'code')
        expect(error.code).to.equal(code)
      })
    }
  })
})
