/**
 * The translation of each format's tools at a chat provider: the tables are compared with the code, and with their
 * documentation.
 */
import { readFileSync } from 'node:fs'
import type { JsonObject } from '@gateway/contract'
import type { ClientDialect, DialectContext, ToolRow } from '@gateway/contract/dialect'
import { expect } from 'chai'
import { contentDialect } from '#dialect-gemini/dialect'
import { contentTools } from '#dialect-gemini/tool-table'
import { clientToolOf as messagesClientTool } from '#dialect-messages/client-tools'
import { messagesDialect } from '#dialect-messages/dialect'
import { messagesTools } from '#dialect-messages/tool-table'
import { responsesDialect } from '#dialect-responses/dialect'
import { responsesTools } from '#dialect-responses/tool-table'
import { dialectContext } from '../../../plugins/dialect-messages/chat-fixtures.ts'
import { createContext } from '../../../plugins/dialect-responses/support.ts'
import { gatewayErrorOf } from '../../../providers/fixtures/thrown.ts'

interface Format {
  rows: readonly ToolRow[]
  dialect: ClientDialect
  base: JsonObject
  /** One tool per row, in the order of the rows. */
  samples: JsonObject[]
  other: JsonObject
  force(tool: JsonObject): JsonObject
}

const responses: Format = {
  rows: responsesTools,
  dialect: responsesDialect,
  base: { model: 'm', input: 'hi' },
  samples: [
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'c' },
    { type: 'tool_search', execution: 'client' },
    { type: 'local_shell' },
    { type: 'shell' },
    { type: 'apply_patch' },
    { type: 'web_search' },
    { type: 'computer' },
    { type: 'newer_tool', name: 'newer', parameters: { type: 'object' } },
    { type: 'mcp', server_label: 's' },
  ],
  other: { type: 'function', name: 'other' },
  force: (tool) => tool,
}

const messages: Format = {
  rows: messagesTools,
  dialect: messagesDialect,
  base: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  samples: [
    { name: 'f', input_schema: { type: 'object' } },
    { type: 'bash_20250124', name: 'bash' },
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
    { type: 'memory_20250818', name: 'memory' },
    { type: 'computer_20251124', name: 'computer' },
    { type: 'web_search_20250305', name: 'web_search' },
    { type: 'web_fetch_20250910', name: 'web_fetch' },
  ],
  other: { name: 'other', input_schema: { type: 'object' } },
  force: ({ name }) => ({ type: 'tool', name: name ?? null }),
}

/** More types that are listed in the last row of each table. */
const vendorTools: [Format, JsonObject][] = [
  ...['file_search', 'code_interpreter', 'image_generation', 'programmatic_tool_calling', 'newer'].map(
    (type): [Format, JsonObject] => [responses, { type }],
  ),
  [responses, { type: 'tool_search' }],
  [responses, { type: 'shell', environment: { type: 'container_auto' } }],
  ...[
    'web_fetch_20250910',
    'code_execution_20250825',
    'tool_search_tool_regex_20251119',
    'advisor_20260301',
    'mcp_toolset',
    'newer_20270101',
  ].map((type): [Format, JsonObject] => [messages, { type, name: 'x' }]),
]

const translate = ({ dialect, base }: Format, body: JsonObject) => {
  const request = { ...base, ...body }
  const context = { ...createContext(request), request }
  return { chat: dialect.request(request, context), leftOut: context.leftOut }
}

for (const [path, format] of [
  ['/v1/responses', responses],
  ['/v1/messages', messages],
] as const) {
  describe(`tools of ${path} at a chat provider`, () => {
    it('have a sample for each row of the table', () => {
      const found = format.samples.map((tool) => format.rows.findIndex(({ matches }) => matches(tool)))
      expect(found).to.deep.equal(format.rows.map((_, index) => index))
    })

    for (const [index, tool] of format.samples.entries()) {
      const row = format.rows[index]
      if (row?.becomes === 'function') {
        it(`become a function: ${JSON.stringify(tool)}`, () => {
          const { chat, leftOut } = translate(format, { tools: [format.other, tool] })
          expect(chat.tools).to.have.lengthOf(2)
          expect(chat.tools).to.have.nested.property('[1].function.name').that.is.a('string')
          expect(leftOut).to.deep.equal([])
        })
        it(`are forced as a function: ${JSON.stringify(tool)}`, () => {
          const { chat } = translate(format, { tools: [tool], tool_choice: format.force(tool) })
          expect(chat).to.have.nested.property('tool_choice.type', 'function')
        })
      }
    }

    const lost: JsonObject[] = [
      ...format.samples.filter((_, index) => format.rows[index]?.becomes !== 'function'),
      ...vendorTools.filter(([of]) => of === format).map(([, tool]) => tool),
    ]
    for (const tool of lost) {
      it(`are left out if there are other tools, and the trace says so: ${JSON.stringify(tool)}`, () => {
        const { chat, leftOut } = translate(format, { tools: [format.other, tool] })
        expect(chat.tools).to.have.lengthOf(1)
        expect(leftOut).to.deep.equal(['/tools/1'])
      })
      it(`are refused alone: ${JSON.stringify(tool)}`, () => {
        const error = gatewayErrorOf(() => translate(format, { tools: [tool] }))
        expect([error.code, error.param]).to.deep.equal(['invalid_body', '/tools/0/type'])
      })
      it(`are refused when they are forced: ${JSON.stringify(tool)}`, () => {
        const body = { tools: [format.other, tool], tool_choice: format.force(tool) }
        // A choice does not specify where a tool runs.
        if (path === '/v1/responses' && ['tool_search', 'shell'].includes(String(tool.type))) return
        const error = gatewayErrorOf(() => translate(format, body))
        expect(error.param).to.match(/^\/tool_choice\//)
      })
    }
  })
}

describe('the web search of the Messages format', () => {
  const search = (more: JsonObject = {}) => ({ type: 'web_search_20250305', name: 'web_search', ...more })
  const ask = (body: JsonObject, webSearch: DialectContext['webSearch']) => {
    const request = { ...messages.base, ...body }
    const context = { ...createContext(request), request, webSearch }
    return { chat: messagesDialect.request(request, context), leftOut: context.leftOut }
  }
  const all = { besideTools: true, allowedDomains: true }

  it("becomes the provider's search, with the domains and the user's location", () => {
    const user_location = { type: 'approximate', city: 'Oslo', country: 'NO' }
    const { chat, leftOut } = ask(
      { tools: [messages.other, search({ allowed_domains: ['a.test'], user_location, max_uses: 3 })] },
      all,
    )
    expect(chat.web_search_options).to.deep.equal({
      user_location: { type: 'approximate', approximate: { city: 'Oslo', country: 'NO' } },
      filters: { allowed_domains: ['a.test'] },
    })
    expect(chat.tools).to.have.lengthOf(1)
    expect(leftOut).to.deep.equal([])
  })

  it('may be the only tool', () => {
    expect(ask({ tools: [search()] }, { besideTools: false, allowedDomains: false }).chat).to.deep.include({
      web_search_options: {},
    })
  })

  const refused: [what: string, tool: JsonObject, support: DialectContext['webSearch']][] = [
    ['without a search at the provider', search(), null],
    ['beside tools where the provider takes one or the other', search(), { ...all, besideTools: false }],
    [
      'with domains that cannot be limited',
      search({ allowed_domains: ['a'] }),
      { ...all, allowedDomains: false },
    ],
    ['with blocked domains', search({ blocked_domains: ['a'] }), all],
  ]
  for (const [what, tool, support] of refused)
    it(`is left out and named ${what}`, () => {
      const { chat, leftOut } = ask({ tools: [messages.other, tool] }, support)
      expect(chat).to.not.have.property('web_search_options')
      expect(leftOut).to.deep.equal(['/tools/1'])
    })

  it('cannot be forced', () => {
    const body = { tools: [messages.other, search()], tool_choice: { type: 'tool', name: 'web_search' } }
    expect(gatewayErrorOf(() => ask(body, all)).param).to.equal('/tool_choice/name')
  })
})

describe('the documentation of tools across formats', () => {
  const becomes = {
    function: 'a function',
    search: 'the search of the provider, or nothing',
    nothing: 'left out',
  }
  const table = (rows: readonly ToolRow[]) =>
    rows.map(
      ({ name, runs, becomes: what, calls }) => `| ${name} | ${runs} | ${becomes[what]} | ${calls ?? ''} |`,
    )

  it('contains the tables of the code', () => {
    const text = readFileSync(new URL('../../../../../docs/guides/clients.md', import.meta.url), 'utf8')
    for (const rows of [responsesTools, messagesTools, contentTools])
      expect(text).to.include(table(rows).join('\n'))
  })
})

describe('calls of vendor tools in a conversation', () => {
  it('are left out of a response request, because the text after them contains their results', () => {
    const input = [
      { role: 'user', content: 'x' },
      { type: 'file_search_call', id: 'fs', queries: [], status: 'completed' },
      { type: 'mcp_list_tools', id: 'l', server_label: 's', tools: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'found' }] },
      { role: 'user', content: 'and' },
    ]
    const { chat, leftOut } = translate(responses, { input })
    expect((chat.messages as JsonObject[]).map(({ content }) => content)).to.deep.equal(['x', 'found', 'and'])
    expect(leftOut).to.deep.equal(['/input/1', '/input/2'])
  })

  it('are refused when the input has nothing else', () => {
    const input = [{ type: 'file_search_call', id: 'fs' }]
    const error = gatewayErrorOf(() => translate(responses, { input }))
    expect([error.code, error.param]).to.deep.equal(['invalid_body', '/input/0/type'])
  })

  it('are left out of a message with other content', () => {
    const content = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'text', text: 'found' },
    ]
    const context = dialectContext({})
    const body = {
      ...messages.base,
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content },
      ],
    }
    const chat = messagesDialect.request(body, context)
    expect(chat.messages).to.have.nested.property('[1].content', 'found')
    expect(context.leftOut).to.deep.equal(['/messages/1/content/0', '/messages/1/content/1'])
  })

  it('are read without the date of their version', () => {
    expect(messagesClientTool({ type: 'bash_20991231' })?.type).to.equal('bash')
    expect(messagesClientTool({ type: 'bash_session' })).to.equal(undefined)
  })

  it('leave MCP servers out if there are other tools', () => {
    const mcp_servers = [{ type: 'url', url: 'https://x.test', name: 'x' }]
    const { chat, leftOut } = translate(messages, { tools: [messages.other], mcp_servers })
    expect(chat.tools).to.have.lengthOf(1)
    expect(leftOut).to.deep.equal(['/mcp_servers'])
  })
})

describe('tools of contents at a chat provider', () => {
  const other = { functionDeclarations: [{ name: 'other' }] }
  const contents = [{ parts: [{ text: 'hi' }] }]
  const members = [
    'googleSearchRetrieval',
    'computerUse',
    'urlContext',
    'codeExecution',
    'googleMaps',
    'fileSearch',
  ]
  const ask = (body: JsonObject) => {
    const request = { model: 'm', contents, ...body }
    const context = { ...createContext(request), request }
    return { chat: contentDialect.request(request, context), leftOut: context.leftOut }
  }

  it('have one row each', () => {
    const found = ['functionDeclarations', 'googleSearch', 'computerUse', 'newer'].map((member) =>
      contentTools.findIndex(({ matches }) => matches({ member })),
    )
    expect(found).to.deep.equal(contentTools.map((_, index) => index))
  })

  for (const member of ['googleSearch', ...members, 'newer']) {
    it(`are left out if there are functions, and the trace says so: ${member}`, () => {
      const { chat, leftOut } = ask({ tools: [other, { [member]: {} }] })
      expect(chat.tools).to.have.lengthOf(1)
      expect(leftOut).to.deep.equal([`/tools/1/${member}`])
    })
    it(`are refused alone: ${member}`, () => {
      const error = gatewayErrorOf(() => ask({ tools: [{ [member]: {} }] }))
      expect([error.code, error.param]).to.deep.equal(['invalid_body', `/tools/0/${member}`])
    })
  }

  it('are not offered if their names are not allowed', () => {
    const functionDeclarations = ['a', 'b', 'c'].map((name) => ({ name }))
    const toolConfig = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a', 'c'] } }
    const { chat } = ask({ tools: [{ functionDeclarations }], toolConfig })
    expect(chat).to.have.nested.property('tools[1].function.name', 'c')
    expect(chat.tools).to.have.lengthOf(2)
    expect(chat.tool_choice).to.equal('required')
  })
})

describe('parts of vendor tools in contents', () => {
  const executed = { executableCode: { language: 'PYTHON', code: 'print(1)' } }
  const read = (parts: JsonObject[]) => {
    const request = {
      model: 'm',
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts },
      ],
    }
    const context = { ...createContext(request), request }
    return { chat: contentDialect.request(request, context), leftOut: context.leftOut }
  }

  it('are left out of contents with other parts', () => {
    const { chat, leftOut } = read([executed, { text: 'one' }])
    expect(chat.messages).to.have.nested.property('[1].content', 'one')
    expect(leftOut).to.deep.equal(['/contents/1/parts/0/executableCode'])
  })

  it('are refused alone', () => {
    const error = gatewayErrorOf(() => read([executed]))
    expect(error.param).to.equal('/contents/1/parts/0/executableCode')
  })
})
