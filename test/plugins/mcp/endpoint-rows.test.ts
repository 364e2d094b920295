/**
 * The errors for clients of an MCP server, row by row: refusals of the endpoint, errors of the upstream, disabled
 * names.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const deepCall = (levels: number) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":${nested(levels)}}}}`

describe('the endpoint of an MCP server', () => {
  const api = openManagement({ server: { body_limit: 20_000 } })
  let upstream: McpUpstream
  let made: MadeServer
  before(async () => {
    upstream = await openMcpUpstream()
    made = await makeMcpServer(api, upstream.url)
  })
  after(() => upstream.close())

  const messages: [string, unknown, Record<string, string>, number, number][] = [
    ['what is not JSON', '{"jsonrpc"', {}, 400, -32700],
    ['what is not JSON-RPC 2.0', { id: 1, method: 'ping' }, {}, 400, -32600],
    ['parameters that are a list', { ...list, params: [1] }, {}, 400, -32600],
    ['an id that is an object', { ...list, id: {} }, {}, 400, -32600],
    ['arguments that are nested too deep', deepCall(101), {}, 400, -32600],
    ['arguments that are nested much too deep', deepCall(9_000), {}, 400, -32600],
    [
      'a key that would be the prototype',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"a":1}}}}',
      {},
      400,
      -32600,
    ],
    ['an empty batch', [], { 'mcp-protocol-version': '2025-03-26' }, 400, -32600],
    ['a batch of a version without batches', [list], {}, 400, -32600],
    [
      'a batch with initialize',
      [{ ...list, method: 'initialize' }],
      { 'mcp-protocol-version': '2025-03-26' },
      400,
      -32600,
    ],
    ['an unknown version', list, { 'mcp-protocol-version': '2020-01-01' }, 400, -32022],
    ['an unknown method', { ...list, method: 'nothing/here' }, {}, 200, -32601],
    ['a member of every object as a method', { ...list, method: 'constructor' }, {}, 200, -32601],
    ['a method for subscriptions', { ...list, method: 'resources/subscribe' }, {}, 200, -32601],
    ['a tool without a name', { ...list, method: 'tools/call', params: {} }, {}, 200, -32602],
    ['arguments that are a list', toolCall('echo', [] as object), {}, 200, -32602],
    [
      'an unknown prompt of no name',
      { ...list, method: 'prompts/get', params: { name: 7 } },
      {},
      200,
      -32602,
    ],
    ['a resource without a URI', { ...list, method: 'resources/read', params: {} }, {}, 200, -32002],
  ]
  for (const [what, message, headers, status, code] of messages) {
    it(`answers ${what} with ${code} in ${status}`, async () => {
      const reply = await rpc(api, made.slug, { message, headers })
      expect([reply.status, reply.body.error?.code]).to.deep.equal([status, code])
    })
  }

  const refusals: [
    string,
    { key?: string; headers?: Record<string, string>; message?: unknown },
    number,
    string,
  ][] = [
    ['no credential', { key: '' }, 401, 'missing_api_key'],
    ['a wrong credential', { key: 'gw-wrong' }, 401, 'invalid_api_key'],
    ['a page of another origin', { headers: { origin: 'https://evil.example' } }, 403, 'forbidden'],
    ['another media type', { headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
    [
      'a body that is too large',
      { message: toolCall('echo', { text: 'x'.repeat(30_000) }) },
      413,
      'body_too_large',
    ],
  ]
  for (const [what, { message = list, ...more }, status, code] of refusals) {
    it(`answers ${what} with ${status} in the OpenAI-compatible error format`, async () => {
      const reply = await rpc(api, made.slug, { message, ...more })
      expect([reply.status, reply.body.error?.code]).to.deep.equal([status, code])
      expect(reply.body).not.to.have.property('jsonrpc')
    })
  }

  it('answers a notification with 202, and a batch of 2025-03-26 with one array', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await rpc(api, made.slug, { message: note })).status).to.equal(202)
    const headers = { 'mcp-protocol-version': '2025-03-26' }
    const { status, text } = await rpc(api, made.slug, {
      message: [note, list, toolCall('fail', {}, 'x')],
      headers,
    })
    const answers = JSON.parse(text) as { id: unknown }[]
    expect([status, answers.map(({ id }) => id)]).to.deep.equal([200, [1, 'x']])
  })

  const answers: [string, number, Record<string, string>, string, number, number][] = [
    ['is down', 503, {}, '', 502, -32603],
    ['redirects', 302, { location: 'http://127.0.0.1:1/' }, '', 502, -32603],
    ['sends invalid JSON', 200, { 'content-type': 'application/json' }, '<html>', 502, -32603],
    ['sends no result', 200, { 'content-type': 'application/json' }, '[]', 502, -32603],
    [
      'nests its answer too deep',
      200,
      { 'content-type': 'application/json' },
      `{"jsonrpc":"2.0","id":1,"result":${nested(200_000)}}`,
      502,
      -32603,
    ],
    ['refuses its credential', 401, {}, '', 502, -32603],
    ['refuses the call', 403, { 'content-type': 'text/plain' }, 'no', 502, -32603],
  ]
  for (const [what, status, headers, body, expected, code] of answers) {
    it(`answers ${code} in ${expected} when the upstream ${what}`, async () => {
      upstream.intercept = (_, response) => {
        response.writeHead(status, headers).end(body)
        return true
      }
      try {
        const reply = await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }, 'call') })
        expect([reply.status, reply.body.id, reply.body.error?.code]).to.deep.equal([expected, 'call', code])
        expect(reply.headers.get('location')).to.equal(null)
      } finally {
        upstream.intercept = null
      }
    })
  }

  for (const status of [200, 400, 404]) {
    it(`returns an upstream's own JSON-RPC error with 200 when it arrived with ${status}`, async () => {
      const own = await openMcpUpstream({ isStateless: true })
      const { slug } = await makeMcpServer(api, own.url)
      await rpc(api, slug, { message: toolCall('echo', { text: 'a' }) })
      own.intercept = (request, response) => {
        request.setEncoding('utf8')
        let text = ''
        request.on('data', (part: string) => {
          text += part
        })
        request.on('end', () => {
          const { id } = JSON.parse(text) as { id: number }
          const error = { code: -31999, message: 'of its own', data: { kept: true } }
          response.writeHead(status, { 'content-type': 'application/json' })
          response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
        })
        return true
      }
      const reply = await rpc(api, slug, { message: toolCall('echo', { text: 'a' }, 'own') })
      expect([reply.status, reply.body]).to.deep.equal([
        200,
        { jsonrpc: '2.0', id: 'own', error: { code: -31999, message: 'of its own', data: { kept: true } } },
      ])
      await own.close()
    })
  }

  it('opens a new session when the upstream has lost it and answers 400', async () => {
    let lost = false
    upstream.intercept = (request, response) => {
      if (!lost || request.headers['mcp-session-id'] === undefined) return false
      lost = false
      response.writeHead(400).end()
      return true
    }
    try {
      await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })
      lost = true
      expect(
        (await rpc(api, made.slug, { message: toolCall('echo', { text: 'b' }) })).body.result,
      ).to.deep.equal({
        content: [{ type: 'text', text: 'b' }],
      })
    } finally {
      upstream.intercept = null
    }
  })

  describe('with a disabled tool', () => {
    let guarded: MadeServer
    before(async () => {
      guarded = await makeMcpServer(api, upstream.url)
      const put = await api.put(`/v1/mcp-servers/${guarded.server.id}/capabilities`, {
        capabilities: [{ name: 'delete_file', type: 'tool', enabled: false }],
      })
      expect(put.status).to.equal(200)
    })

    const spellings = [
      'delete%5Ffile',
      'delete%255ffile',
      '%64elete_file',
      'tools/delete_file',
      'files.delete_file',
      'files:delete_file',
      'mcp__files__delete_file',
      'mcp%5F%5Ffiles%5F%5Fdelete_file',
      'delete_file\u0000',
      'DELETE FILE',
      '\ndelete_file\r\n',
    ]
    for (const name of spellings)
      it(`refuses a call of ${JSON.stringify(name)}`, async () => {
        const before = upstream.calls.length
        const { status, body } = await rpc(api, guarded.slug, { message: toolCall(name, { path: 'x' }) })
        expect([status, body.error?.code]).to.deep.equal([200, -32602])
        expect(upstream.calls.length).to.equal(before)
      })

    const noise = fc.constantFrom('', '_', '-', '.', ' ', '/', '\u200b', '\u00ad', '\u0301', '\ufeff', '\t')
    const letter = (plain: string) =>
      fc.constantFrom(
        plain,
        plain.toUpperCase(),
        // The full-width form.
        String.fromCodePoint(plain.codePointAt(0) === undefined ? 0 : (plain.codePointAt(0) ?? 0) + 0xfee0),
      )
    const spelling = fc
      .tuple(...[...'deletefile'].map((plain) => fc.tuple(letter(plain), noise)))
      .map((parts) => parts.flat().join(''))

    it('refuses every spelling of its name', async () => {
      const before = upstream.calls.length
      await assertProperty(
        fc.asyncProperty(spelling, async (name) => {
          const { status, body } = await rpc(api, guarded.slug, { message: toolCall(name, { path: 'x' }) })
          expect([status, body.error?.code], JSON.stringify(name)).to.deep.equal([200, -32602])
        }),
        { numRuns: 60 },
      )
      expect(upstream.calls.length).to.equal(before)
    })

    it('refuses it in a batch, as a second name in the message, and in the stateless protocol', async () => {
      const before = upstream.calls.length
      const batch = await rpc(api, guarded.slug, {
        message: [toolCall('delete_file', { path: 'x' })],

        headers: { 'mcp-protocol-version': '2025-03-26' },
      })
      expect(batch.text).to.contain('-32602')
      const twice =
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"delete_file","arguments":{"path":"x"}}}'
      expect((await rpc(api, guarded.slug, { message: twice })).body.error?.code).to.equal(-32602)
      const version = '2026-07-28'
      const meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const stateless = await rpc(api, guarded.slug, {
        message: {
          ...list,
          method: 'tools/call',
          params: { name: 'delete_file', arguments: { path: 'x' }, _meta: meta },
        },

        headers: {
          'mcp-protocol-version': version,
          'mcp-method': 'tools/call',
          'mcp-name': 'delete_file',
        },
      })
      expect(stateless.body.error?.code).to.equal(-32602)
      expect(upstream.calls.length).to.equal(before)
    })
  })
})
