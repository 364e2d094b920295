/**
 * Messages requests → chat requests.
 * Source: https://platform.claude.com/docs/en/api/messages, https://platform.openai.com/docs/api-reference/chat/create
 */
import type { MessageParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages'
import { expect } from 'chai'
import { gatewayErrorOf } from '../../providers/fixtures/thrown.ts'
import { chatRequestOf } from './chat-fixtures.ts'

const smallest = { model: 'm', max_completion_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }

const messagesOf = (messages: MessageParam[], strict = true) =>
  chatRequestOf({ messages }, { strict }).messages
const user = (content: MessageParam['content']): MessageParam => ({ role: 'user', content })
const assistant = (content: MessageParam['content']): MessageParam => ({ role: 'assistant', content })
const text = (value: string) => ({ type: 'text' as const, text: value })
const png = { type: 'base64' as const, media_type: 'image/png' as const, data: 'AAAA' }
const pdf = { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'JVBE' }
const imagePart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }

describe('a Messages request translated to chat', () => {
  it('has the required members in its smallest form', () => {
    expect(chatRequestOf({})).to.deep.equal(smallest)
  })

  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  }
  const loose = { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] }
  const format = (strict: boolean, given: object) => ({
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'output', schema: given, ...(strict ? { strict } : {}) },
    },
  })
  const fields: [what: string, given: object, sent: object][] = [
    ['stop sequences', { stop_sequences: ['A', 'B'] }, { stop: ['A', 'B'] }],
    ['no stop sequences', { stop_sequences: [] }, {}],
    ['sampling', { temperature: 0, top_p: 0.5, top_k: 3 }, { temperature: 0, top_p: 0.5, top_k: 3 }],
    ['stream', { stream: true }, { stream: true }],
    ['the user', { metadata: { user_id: 'u-1' } }, { user: 'u-1' }],
    ['no user', { metadata: { user_id: null } }, {}],
    ['tier auto', { service_tier: 'auto' }, { service_tier: 'auto' }],
    ['the standard tier', { service_tier: 'standard_only' }, { service_tier: 'default' }],
    ['a small budget', { thinking: { type: 'enabled', budget_tokens: 1024 } }, { reasoning_effort: 'low' }],
    [
      'a middle budget',
      { thinking: { type: 'enabled', budget_tokens: 4096 } },
      { reasoning_effort: 'medium' },
    ],
    [
      'a large budget',
      { thinking: { type: 'enabled', budget_tokens: 32_000 } },
      { reasoning_effort: 'high' },
    ],
    ['thinking of its own', { thinking: { type: 'adaptive' } }, {}],
    ['an effort', { output_config: { effort: 'medium' } }, { reasoning_effort: 'medium' }],
    ['the highest effort', { output_config: { effort: 'max' } }, { reasoning_effort: 'xhigh' }],
    [
      'an effort next to a budget',
      { output_config: { effort: 'low' }, thinking: { type: 'enabled', budget_tokens: 32_000 } },
      { reasoning_effort: 'low' },
    ],
    ['a schema', { output_config: { format: { type: 'json_schema', schema } } }, format(true, schema)],
    [
      'a looser schema',
      { output_config: { format: { type: 'json_schema', schema: loose } } },
      format(false, loose),
    ],
    ['a schema by its beta name', { output_format: { type: 'json_schema', schema } }, format(true, schema)],
    [
      'hints',
      { context_management: {}, speed: 'fast', diagnostics: {}, cache_control: { type: 'ephemeral' } },
      {},
    ],
    ['nothing that the format does not name', { seed: 7, client_metadata: { id: 'x' } }, {}],
    ['empty lists of unsupported items', { mcp_servers: [], container: null }, {}],
  ]
  for (const [what, given, sent] of fields) {
    it(`contains ${what}`, () => {
      const { thinking, ...chat } = chatRequestOf(given)
      expect(chat).to.deep.equal({ ...smallest, ...sent })
      expect(thinking).to.deep.equal((given as { thinking?: object }).thinking)
    })
  }

  it('leaves the thinking budget to a provider that supports thinking', () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 }
    expect(chatRequestOf({ thinking }, { strict: false })).to.deep.equal({ ...smallest, thinking })
  })

  it('sends an effort instead of a budget to a provider that does not define thinking', () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 }
    const options = { strict: false, parameters: new Set<string>(), leftOut: [] }
    expect(chatRequestOf({ thinking }, options)).to.deep.equal({ ...smallest, reasoning_effort: 'low' })
    expect(options.leftOut).to.deep.equal([])
  })

  it('reports thinking that is left out', () => {
    const options = { parameters: new Set<string>(), leftOut: [] }
    expect(chatRequestOf({ thinking: { type: 'adaptive' } }, options)).to.deep.equal(smallest)
    expect(options.leftOut).to.deep.equal(['/thinking'])
  })

  it('shortens a user id that is too long, with distinct results', () => {
    const users = ['a', 'b', 'a'].map((letter) => {
      const { user: sent } = chatRequestOf({ metadata: { user_id: letter.repeat(65) } })
      expect(sent).to.match(/^[0-9a-f]{64}$/)
      return sent
    })
    expect(users[0]).to.equal(users[2]).and.not.to.equal(users[1])
  })

  describe('has a system prompt that', () => {
    const sent = (system: unknown, parameters: string[] = []) =>
      (chatRequestOf({ system }, { parameters: new Set(parameters) }).messages as unknown[]).slice(0, -1)
    it('becomes a system message', () => {
      expect(sent('be kind')).to.deep.equal([{ role: 'system', content: 'be kind' }])
      expect(sent([text('be kind')])).to.deep.equal([{ role: 'system', content: 'be kind' }])
      expect(sent([text('be'), text('kind')])).to.deep.equal([{ role: 'system', content: 'be\n\nkind' }])
      expect(sent([])).to.deep.equal([])
    })
    it('keeps its cache_control for a provider that defines it', () => {
      const marked = { ...text('be kind'), cache_control: { type: 'ephemeral' as const } }
      expect(sent([marked])).to.deep.equal([{ role: 'system', content: 'be kind' }])
      expect(sent([marked, text('b')], ['cache_control'])).to.deep.equal([
        { role: 'system', content: [marked, text('b')] },
      ])
    })
    it('can occur between messages', () => {
      const messages = [user('a'), { role: 'system' as const, content: 'now be brief' }]
      expect(messagesOf(messages)).to.deep.equal([
        { role: 'user', content: 'a' },
        { role: 'system', content: 'now be brief' },
      ])
    })
  })

  const contents: [what: string, content: MessageParam['content'], sent: unknown][] = [
    ['text', 'a', 'a'],
    ['a block of text', [text('a')], 'a'],
    ['blocks of text', [text('a'), text('b')], 'a\n\nb'],
    ['an image', [text('a'), { type: 'image', source: png }, text('b')], [text('a'), imagePart, text('b')]],
    [
      'an image by URL',
      [{ type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }],
      [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }],
    ],
    [
      'a document',
      [{ type: 'document', source: pdf, title: 'a.pdf', context: 'from Bo' }],
      [
        text('from Bo'),
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
      ],
    ],
    [
      'a document by URL',
      [{ type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } }],
      [{ type: 'file', file: { filename: 'document.pdf', file_url: 'https://x.test/a.pdf' } }],
    ],
    [
      'an uploaded document',
      [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }],
      [{ type: 'file', file: { file_id: 'file_1' } }],
    ],
    [
      'a document of text',
      [
        { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'body' } },
        text('a'),
      ],
      'T\n\nbody\n\na',
    ],
    [
      'a document of blocks',
      [
        {
          type: 'document',
          source: { type: 'content', content: [text('x'), { type: 'image', source: png }] },
        },
      ],
      [text('x'), imagePart],
    ],
    [
      'a search result',
      [{ type: 'search_result', title: 'T', source: 'https://x.test', content: [text('x'), text('y')] }],
      'T\nhttps://x.test\nx\ny',
    ],
  ]
  for (const [what, content, sent] of contents) {
    it(`has a user message with ${what}`, () => {
      expect(messagesOf([user(content)])).to.deep.equal([{ role: 'user', content: sent }])
    })
  }

  describe('has an assistant message that', () => {
    const use = (id: string, input: unknown = {}) => ({ type: 'tool_use' as const, id, name: 'look', input })
    const call = (id: string, written = '{}') => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: written },
    })
    it('contains the generated text', () => {
      expect(messagesOf([assistant([text('a '), text('b')])])).to.deep.equal([
        { role: 'assistant', content: 'a b' },
      ])
    })
    it('contains tool calls with their ids', () => {
      const content = [text('wait'), use('toolu_1', { q: 'é', n: [1, null] }), use('toolu_2')]
      expect(messagesOf([assistant(content)])).to.deep.equal([
        {
          role: 'assistant',
          content: 'wait',
          tool_calls: [call('toolu_1', '{"q":"é","n":[1,null]}'), call('toolu_2')],
        },
      ])
      expect(messagesOf([assistant([use('t')])])).to.deep.equal([
        { role: 'assistant', content: null, tool_calls: [call('t')] },
      ])
    })
    it('keeps signed thinking for a provider that accepts it', () => {
      const thoughts = [
        { type: 'thinking' as const, thinking: 'hm', signature: 'sig' },
        { type: 'redacted_thinking' as const, data: 'xxx' },
      ]
      const message = [assistant([...thoughts, text('a')])]
      expect(messagesOf(message)).to.deep.equal([{ role: 'assistant', content: 'a' }])
      expect(messagesOf(message, false)).to.deep.equal([
        { role: 'assistant', content: 'a', content_blocks: thoughts },
      ])
    })
    it('returns reasoning that came without a signature', () => {
      const thought = { type: 'thinking' as const, thinking: 'hm', signature: '' }
      expect(messagesOf([assistant([thought, use('t')])])).to.deep.equal([
        { role: 'assistant', content: null, tool_calls: [call('t')], reasoning_content: 'hm' },
      ])
    })
  })

  describe('has tool results that', () => {
    type Result = { content?: unknown; is_error?: boolean }
    const result = (id: string, rest: Result) => ({ type: 'tool_result', tool_use_id: id, ...rest }) as never
    const tool = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content })
    const table: [what: string, given: Result, sent: unknown][] = [
      ['text', { content: 'sunny' }, 'sunny'],
      ['blocks', { content: [text('a'), text('b')] }, 'a\n\nb'],
      ['nothing', {}, ''],
      ['a failure', { content: 'no such city', is_error: true }, 'Error: no such city'],
      [
        'a failed result with a text',
        { content: 'An error: no such city', is_error: true },
        'An error: no such city',
      ],
      ['a failed result without content', { is_error: true }, 'Error'],
    ]
    for (const [what, given, sent] of table) {
      it(`become separate messages: ${what}`, () => {
        expect(messagesOf([user([result('t', given)])])).to.deep.equal([tool('t', sent)])
      })
    }
    it("come before the rest of the user's message, in order", () => {
      const content = [
        text('before'),
        result('t2', { content: '2' }),
        result('t1', { content: '1' }),
        text('after'),
      ]
      expect(messagesOf([user(content)])).to.deep.equal([
        tool('t2', '2'),
        tool('t1', '1'),
        { role: 'user', content: 'before\n\nafter' },
      ])
    })
    it('are followed by their images', () => {
      const image = { type: 'image', source: png }
      const content = [
        result('t1', { content: [image] }),
        result('t2', { content: [text('see'), image] }),
        text('so?'),
      ]
      expect(messagesOf([user(content)])).to.deep.equal([
        tool('t1', 'The result follows.'),
        tool('t2', 'see'),
        {
          role: 'user',
          content: [
            text('Result of the tool call t1:'),
            imagePart,
            text('Result of the tool call t2:'),
            imagePart,
            text('so?'),
          ],
        },
      ])
    })
  })

  describe('has tools that', () => {
    const look: ToolUnion = {
      name: 'look',
      description: 'd',
      input_schema: { type: 'object', properties: {} },
    }
    const definition = { name: 'look', description: 'd', parameters: { type: 'object', properties: {} } }
    it('become functions', () => {
      expect(chatRequestOf({ tools: [look, { ...look, type: 'custom', strict: true }] }).tools).to.deep.equal(
        [
          { type: 'function', function: definition },
          { type: 'function', function: { ...definition, strict: true } },
        ],
      )
    })
    const choices: [given: object, sent: object][] = [
      [{ type: 'auto' }, { tool_choice: 'auto' }],
      [{ type: 'none' }, { tool_choice: 'none' }],
      [{ type: 'any' }, { tool_choice: 'required' }],
      [{ type: 'tool', name: 'look' }, { tool_choice: { type: 'function', function: { name: 'look' } } }],
      [
        { type: 'any', disable_parallel_tool_use: true },
        { tool_choice: 'required', parallel_tool_calls: false },
      ],
      [{ type: 'auto', disable_parallel_tool_use: false }, { tool_choice: 'auto' }],
    ]
    for (const [given, sent] of choices) {
      it(`are selected by ${JSON.stringify(given)}`, () => {
        const { tools: _, ...chat } = chatRequestOf({ tools: [look], tool_choice: given })
        expect(chat).to.deep.equal({ ...smallest, ...sent })
      })
    }
  })

  describe('is refused, with the path, for', () => {
    const blocks = (...content: object[]) => ({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content },
      ],
    })
    const table: [what: string, given: object, path: string][] = [
      [
        'a tool of the vendor',
        { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
        '/tools/0/type',
      ],
      ['MCP servers', { mcp_servers: [{ type: 'url', url: 'https://x.test', name: 'x' }] }, '/mcp_servers'],
      ['a container', { container: 'c_1' }, '/container'],
      ['a place', { inference_geo: 'us' }, '/inference_geo'],
      [
        'a block that it does not know',
        blocks(text('a'), { type: 'container_upload' }),
        '/messages/1/content/1/type',
      ],
      [
        'an uploaded image',
        blocks({ type: 'image', source: { type: 'file', file_id: 'f' } }),
        '/messages/1/content/0/source/type',
      ],
      [
        'a block in a result',
        blocks({
          type: 'tool_result',
          tool_use_id: 't',
          content: [{ type: 'tool_reference', tool_name: 'x' }],
        }),
        '/messages/1/content/0/content/0/type',
      ],
      [
        'results of the vendor’s own tools',
        {
          messages: [
            { role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'n', input: {} }] },
          ],
        },
        '/messages/0/content/0/type',
      ],
    ]
    for (const [what, given, path] of table) {
      it(what, () => {
        const error = gatewayErrorOf(() => chatRequestOf(given))
        expect([error.code, error.param]).to.deep.equal(['invalid_body', path])
        expect(error.message).to.contain('test-provider')
      })
    }
  })

  it("leaves the caller's request unchanged", () => {
    const body = {
      messages: [user([text('a'), { type: 'image', source: png }])],
      tools: [{ name: 'x', input_schema: {} }],
    }
    const before = JSON.stringify(body)
    chatRequestOf(body)
    expect(JSON.stringify(body)).to.equal(before)
  })
})
