/**
 * Tools of `/v1/responses` that the client runs, at chat providers: they become functions, and calls return in the
 * client's form.
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { writeAnswer } from '#dialect-responses/answer'
import { readRequest } from '#dialect-responses/request'
import { responsesStream } from '#dialect-responses/stream'
import { gatewayErrorOf } from '../../providers/fixtures/thrown.ts'
import { chatAnswer, chatChunks, createContext, runStream } from './support.ts'

interface Played {
  tool: JsonObject
  name: string
  /** Arguments as a chat model writes them. */
  args: JsonObject
  /** The call that the client expects, without ids and status. */
  call: JsonObject
  output: JsonObject
  result: string
}

const found = {
  type: 'namespace',
  name: 'mail',
  description: 'Mail',
  tools: [{ type: 'function', name: 'send', parameters: { type: 'object' } }],
}

const played: Played[] = [
  {
    tool: {
      type: 'tool_search',
      execution: 'client',
      description: 'Finds tools of this machine',
      parameters: { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'number' } } },
    },
    name: 'tool_search',
    args: { query: 'mail', limit: 3 },
    call: { type: 'tool_search_call', execution: 'client', arguments: { query: 'mail', limit: 3 } },
    output: { type: 'tool_search_output', execution: 'client', status: 'completed', tools: [found] },
    result: 'These tools can be called now: mail.send',
  },
  {
    tool: { type: 'local_shell' },
    name: 'local_shell',
    args: { command: ['ls', '-l'], timeout_ms: 5 },
    call: {
      type: 'local_shell_call',
      action: { type: 'exec', command: ['ls', '-l'], env: {}, timeout_ms: 5 },
    },
    output: { type: 'local_shell_call_output', output: 'a b' },
    result: 'a b',
  },
  {
    tool: { type: 'shell', environment: { type: 'local' } },
    name: 'shell',
    args: { commands: ['ls'] },
    call: {
      type: 'shell_call',
      action: { commands: ['ls'], timeout_ms: null, max_output_length: null },
      environment: { type: 'local' },
    },
    output: {
      type: 'shell_call_output',
      output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
    result: '[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}}]',
  },
  {
    tool: { type: 'apply_patch' },
    name: 'apply_patch',
    args: { type: 'update_file', path: 'a.txt', diff: '-a\n+b' },
    call: {
      type: 'apply_patch_call',
      operation: { type: 'update_file', path: 'a.txt', diff: '-a\n+b' },
    },
    output: { type: 'apply_patch_call_output', status: 'failed', output: 'no such file' },
    result: 'failed\nno such file',
  },
]

const read = (body: object) => {
  const whole = { model: 'm', input: 'hi', ...body }
  return readRequest(whole as never, createContext(whole))
}

describe('a tool that the client of /v1/responses runs, at a chat provider', () => {
  for (const { tool, name, args, call, output, result } of played) {
    const written = JSON.stringify(args)
    const request = { tools: [tool] }

    it(`becomes the function ${name}`, () => {
      const { tools } = read(request)
      expect(tools).to.have.nested.property('[0].type', 'function')
      expect(tools).to.have.nested.property('[0].function.name', name)
      const { description, parameters } = (tools as { function: JsonObject }[])[0]?.function ?? {}
      expect(description).to.be.a('string').and.not.equal('')
      const known = Object.keys((parameters as { properties: object }).properties)
      expect(known).to.include.members(Object.keys(args))
      if (tool.parameters !== undefined) expect(parameters).to.deep.equal(tool.parameters)
      if (tool.description !== undefined) expect(description).to.equal(tool.description)
    })

    it(`can be forced: ${name}`, () => {
      const { tool_choice } = read({ ...request, tool_choice: { type: tool.type } })
      expect(tool_choice).to.deep.equal({ type: 'function', function: { name } })
    })

    it(`has its calls in the client's shape: ${name}`, () => {
      const message = {
        tool_calls: [{ id: 'call_7', type: 'function', function: { name, arguments: written } }],
      }
      const { output: items } = writeAnswer(chatAnswer(message, 'tool_calls'), createContext(request))
      expect(items).to.have.lengthOf(1)
      const [{ id, ...item } = {}] = items as JsonObject[]
      expect(id).to.match(/^[a-z]+_\w+_0$/)
      expect(item).to.deep.equal({ ...call, call_id: 'call_7', status: 'completed' })
    })

    it(`has its calls in the client's shape in a stream: ${name}`, () => {
      const pieces = [written.slice(0, 4), written.slice(4)]
      const deltas = [
        { tool_calls: [{ index: 0, id: 'call_7', type: 'function', function: { name, arguments: '' } }] },
        ...pieces.map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
      ]
      const events = runStream(responsesStream(createContext(request)), chatChunks(deltas, 'tool_calls'))
      const types = events.map(({ type }) => type)
      expect(types).to.deep.equal([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.output_item.done',
        'response.completed',
      ])
      expect(events[2]).to.deep.nested.include({ 'item.type': call.type, 'item.status': 'in_progress' })
      expect(events[3]?.item).to.deep.include({ ...call, call_id: 'call_7', status: 'completed' })
    })

    it(`keeps its calls and results in the conversation: ${name}`, () => {
      const input = [
        { role: 'user', content: 'x' },
        { ...call, call_id: 'call_7', status: 'completed' },
        { ...output, call_id: 'call_7' },
      ]
      const { messages } = read({ ...request, input })
      expect(messages).to.deep.equal([
        { role: 'user', content: 'x' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_7', type: 'function', function: { name, arguments: written } }],
        },
        { role: 'tool', tool_call_id: 'call_7', content: result },
      ])
    })
  }

  const search = played[0]?.tool as JsonObject
  const searched = [
    { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'mail' } },
    { type: 'tool_search_output', call_id: 'c', execution: 'client', tools: [found] },
  ]

  it('can be called after a search has found it, and its call is returned with its namespace', () => {
    const body = { tools: [search], input: [{ role: 'user', content: 'x' }, ...searched] }
    const names = (read(body).tools as { function: { name: string } }[]).map((tool) => tool.function.name)
    expect(names).to.deep.equal(['tool_search', 'mail__send'])
    const call = { id: 'call_8', type: 'function', function: { name: 'mail__send', arguments: '{}' } }
    const { output } = writeAnswer(chatAnswer({ tool_calls: [call] }, 'tool_calls'), createContext(body))
    expect(output).to.have.deep.nested.property('[0].namespace', 'mail')
    expect(output).to.have.deep.nested.property('[0].name', 'send')
  })

  it('is offered once when it is found again', () => {
    const body = { tools: [search], input: [{ role: 'user', content: 'x' }, ...searched, ...searched] }
    expect(read(body).tools).to.have.lengthOf(2)
  })

  it('is not offered before the search, when its loading is deferred', () => {
    const deferred = { type: 'function', name: 'later', defer_loading: true }
    expect(read({ tools: [search, deferred] }).tools).to.have.lengthOf(1)
    // The vendor's own search is left out, so nothing else could load the tool.
    const server = { type: 'tool_search' }
    expect(read({ tools: [server, deferred] }).tools).to.have.nested.property('[0].function.name', 'later')
  })

  it('is offered when an item of the input adds it', () => {
    const extra = { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f' }] }
    const { tools, messages } = read({ input: [{ role: 'user', content: 'x' }, extra] })
    expect(tools).to.have.nested.property('[0].function.name', 'f')
    expect(messages).to.have.lengthOf(1)
  })

  it('is returned without members if the model wrote no JSON object', () => {
    const call = { id: 'c', type: 'function', function: { name: 'local_shell', arguments: '["ls"' } }
    const context = createContext({ tools: [{ type: 'local_shell' }] })
    const { output } = writeAnswer(chatAnswer({ tool_calls: [call] }, 'tool_calls'), context)
    expect(output).to.have.deep.nested.property('[0].action', { type: 'exec', command: [], env: {} })
  })

  it('is refused if another function has its name', () => {
    const tools = [{ type: 'apply_patch' }, { type: 'function', name: 'apply_patch' }]
    expect(gatewayErrorOf(() => read({ tools }))).to.include({ code: 'invalid_body', param: '/tools' })
  })

  it('is refused if a call has no id', () => {
    const input = [
      { role: 'user', content: 'x' },
      { type: 'shell_call', action: { commands: [] } },
    ]
    expect(gatewayErrorOf(() => read({ input }))).to.include({ param: '/input/1/call_id' })
  })
})
