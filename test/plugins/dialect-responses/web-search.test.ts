/** The tool `web_search` of `/v1/responses` at chat providers: the provider's own search, or none. */
import type { JsonObject, WebSearch } from '@gateway/contract'
import { expect } from 'chai'
import { readRequest } from '#dialect-responses/request'
import { gatewayErrorOf } from '../../providers/fixtures/thrown.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { openUpstream, sendEvents, sendJson, type Upstream } from '../../support/upstream.ts'
import { createContext } from './support.ts'

const search = { type: 'web_search' }
const shell = { type: 'function', name: 'shell', parameters: { type: 'object' } }

const read = (body: object, webSearch: WebSearch | null): JsonObject =>
  readRequest({ model: 'm', input: 'hi', ...body } as never, { ...createContext(body), webSearch })

describe('a web search in a response request that becomes a chat', () => {
  const everything = { besideTools: true, allowedDomains: true }
  const alone = { besideTools: false, allowedDomains: false }
  const filters = { allowed_domains: ['example.org'] }

  const mapped: [name: string, tool: object, options: object][] = [
    ['without settings', search, {}],
    ['of a preview version', { type: 'web_search_preview' }, {}],
    ['with live access', { ...search, external_web_access: true }, {}],
    ['with a size', { ...search, search_context_size: 'low' }, { search_context_size: 'low' }],
    [
      'with a place',
      { ...search, user_location: { type: 'approximate', city: 'Paris', country: 'FR', region: null } },
      { user_location: { type: 'approximate', approximate: { city: 'Paris', country: 'FR' } } },
    ],
    ['with domains', { ...search, filters }, { filters }],
  ]
  for (const [name, tool, options] of mapped) {
    it(`${name} becomes web_search_options`, () => {
      expect(read({ tools: [tool] }, everything)).to.have.deep.property('web_search_options', options)
    })
  }

  it('keeps other functions if the provider accepts both', () => {
    const { tools, web_search_options } = read({ tools: [shell, search] }, everything)
    expect(tools).to.have.lengthOf(1)
    expect(web_search_options).to.deep.equal({})
  })

  const leftOut: [name: string, body: object, support: WebSearch | null][] = [
    ['next to functions at a provider that cannot search', { tools: [shell, search] }, null],
    ['next to functions at a provider that takes one or the other', { tools: [shell, search] }, alone],
    ['without live access', { tools: [shell, { ...search, external_web_access: false }] }, everything],
    [
      'with domains that the provider cannot limit',
      { tools: [shell, { ...search, filters }] },
      { ...everything, allowedDomains: false },
    ],
    ['that must not be used', { tools: [shell, search], tool_choice: 'none' }, everything],
    [
      'that is not among the allowed tools',
      {
        tools: [shell, search],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'shell' }] },
      },
      everything,
    ],
  ]
  for (const [name, body, support] of leftOut) {
    it(`is left out ${name}`, () => {
      const chat = read(body, support)
      expect(chat).not.to.have.property('web_search_options')
      expect(chat.tools).to.have.lengthOf(1)
    })
  }

  const refused: [name: string, tool: object, support: WebSearch | null, param: string][] = [
    ['at a provider that cannot search', search, null, '/tools/0/type'],
    [
      'without live access',
      { ...search, external_web_access: false },
      everything,
      '/tools/0/external_web_access',
    ],
    ['with domains that the provider cannot limit', { ...search, filters }, alone, '/tools/0/filters'],
    [
      'with filters of another kind',
      { ...search, filters: { blocked_domains: ['a.example'] } },
      everything,
      '/tools/0/filters',
    ],
  ]
  for (const [name, tool, support, param] of refused) {
    it(`is refused as the only tool ${name}`, () => {
      const error = gatewayErrorOf(() => read({ tools: [tool] }, support))
      expect(error).to.include({ code: 'invalid_body', param })
    })
  }
})

describe('a web search through /v1/responses at providers with chat only', () => {
  let upstream: Upstream
  let gateway: TestGateway
  before(async () => {
    upstream = await openUpstream((_, response) => sendJson(response, 500, {}))
    const custom_host = upstream.url
    gateway = await startGateway({
      providers: {
        claude: { provider: 'anthropic', api_key: 'k', custom_host },
        gemini: { provider: 'google', api_key: 'k', custom_host },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const ask = async (body: object) => {
    const from = upstream.seen.length
    const response = await gateway.post('/v1/responses', { input: 'news?', tools: [search], ...body })
    return { text: await response.text(), status: response.status, sent: upstream.seen[from]?.json }
  }

  const citation = {
    type: 'web_search_result_location',
    url: 'https://example.org/news',
    title: 'News',
    encrypted_index: 'x',
    cited_text: 'It rains.',
  }
  const cited = { type: 'url_citation', url: 'https://example.org/news', title: 'News' }
  const usage = { input_tokens: 5, output_tokens: 3, server_tool_use: { web_search_requests: 1 } }
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'news' } }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  const head = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    stop_reason: null,
  }

  it('uses the web search of Anthropic and returns its citations as annotations', async () => {
    upstream.handle((_, response) =>
      sendJson(response, 200, {
        ...head,
        stop_reason: 'end_turn',
        content: [use, found, { type: 'text', text: 'It rains.', citations: [citation] }],
        usage,
      }),
    )
    const { status, text, sent } = await ask({ model: '@claude/claude-sonnet-4-5' })
    expect(status, text).to.equal(200)
    expect(sent?.tools).to.deep.equal([{ type: 'web_search_20250305', name: 'web_search' }])
    const { output, tools } = JSON.parse(text) as { output: JsonObject[]; tools: JsonObject[] }
    const message = output.find(({ type }) => type === 'message') as JsonObject & { content: JsonObject[] }
    expect(message.content[0]).to.have.property('text', 'It rains.')
    expect(message.content[0]?.annotations).to.deep.equal([{ ...cited, start_index: 0, end_index: 9 }])
    expect(tools).to.deep.equal([search])
  })

  it('streams the citations of Anthropic as annotations', async () => {
    const events = [
      { type: 'message_start', message: { ...head, content: [], usage } },
      { type: 'content_block_start', index: 0, content_block: use },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: found },
      { type: 'content_block_stop', index: 1 },
      { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 2, delta: { type: 'citations_delta', citation } },
      { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'It rains.' } },
      { type: 'content_block_stop', index: 2 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ]
    upstream.handle((_, response) =>
      sendEvents(
        response,
        events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
      ),
    )
    const { status, text } = await ask({ model: '@claude/claude-sonnet-4-5', stream: true })
    expect(status, text).to.equal(200)
    const added = text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as JsonObject)
      .filter(({ type }) => type === 'response.output_text.annotation.added')
    expect(added.map(({ annotation }) => annotation)).to.deep.equal([
      { ...cited, start_index: 0, end_index: 9 },
    ])
  })

  it('uses grounding at Gemini and returns its sources as annotations', async () => {
    upstream.handle((_, response) =>
      sendJson(response, 200, {
        candidates: [
          {
            content: { role: 'model', parts: [{ text: 'It rains.' }] },
            finishReason: 'STOP',
            groundingMetadata: {
              webSearchQueries: ['news'],
              groundingChunks: [{ web: { uri: 'https://example.org/news', title: 'News' } }],
              groundingSupports: [
                { segment: { startIndex: 0, endIndex: 9, text: 'It rains.' }, groundingChunkIndices: [0] },
              ],
            },
          },
        ],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
      }),
    )
    const { status, text, sent } = await ask({ model: '@gemini/gemini-2.5-flash' })
    expect(status, text).to.equal(200)
    expect(sent?.tools).to.deep.equal([{ googleSearch: {} }])
    expect(text).to.include('"url":"https://example.org/news"')
  })
})
