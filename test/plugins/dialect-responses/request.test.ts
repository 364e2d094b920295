/** A response request as a chat request. Both sides have the types of the vendor's package. */
import { expect } from 'chai'
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions'
import type { ResponseCreateParams, ResponseInputItem } from 'openai/resources/responses/responses'
import { readRequest } from '#dialect-responses/request'
import { createContext } from './support.ts'

type Asked = Partial<ResponseCreateParams>
type Chat = Partial<ChatCompletionCreateParams>

/** Extensions of other providers to the vendor's format. */
type Message = ChatCompletionCreateParams['messages'][number] & { content_blocks?: unknown }

const read = (body: Asked): unknown => {
  const whole = { model: 'm', input: 'hi', ...body }
  return readRequest(whole as never, createContext(whole))
}

const hi: Message = { role: 'user', content: 'hi' }

describe('a response request translated to chat', () => {
  const members: [string, Asked, Chat][] = [
    ['a plain text', {}, {}],
    ['the length of the answer', { max_output_tokens: 50 }, { max_completion_tokens: 50 }],
    ['sampling', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
    ['effort', { reasoning: { effort: 'low', summary: 'auto' } }, { reasoning_effort: 'low' }],
    ['verbosity', { text: { verbosity: 'low' } }, { verbosity: 'low' }],
    ['plain text as the format', { text: { format: { type: 'text' } } }, {}],
    [
      'JSON',
      { text: { format: { type: 'json_object' }, verbosity: 'high' } },
      { response_format: { type: 'json_object' }, verbosity: 'high' },
    ],
    [
      'a JSON Schema',
      {
        text: {
          format: {
            type: 'json_schema',
            name: 's',
            schema: { type: 'object' },
            strict: true,
            description: 'd',
          },
        },
      },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 's', schema: { type: 'object' }, strict: true, description: 'd' },
        },
      },
    ],
    ['log probabilities', { top_logprobs: 3 }, { logprobs: true, top_logprobs: 3 }],
    ['log probabilities by include', { include: ['message.output_text.logprobs'] }, { logprobs: true }],
    [
      'what belongs to the user',
      { user: 'u', safety_identifier: 's', prompt_cache_key: 'k', service_tier: 'flex' },
      { user: 'u', safety_identifier: 's', prompt_cache_key: 'k', service_tier: 'flex' },
    ],
    ['what only the gateway keeps', { store: false, metadata: { a: 'b' }, truncation: 'auto' }, {}],
    [
      'a stream, with its usage',
      { stream: true, stream_options: { include_obfuscation: false } },
      { stream: true, stream_options: { include_usage: true } },
    ],
    ['nothing that the format does not name', { seed: 7, client_metadata: { id: 'x' } } as Asked, {}],
    ['nothing for null', { temperature: null, top_p: null, instructions: null }, {}],
    ['no tools as none', { tools: [], tool_choice: 'auto', parallel_tool_calls: true }, {}],
  ]
  for (const [name, asked, chat] of members) {
    it(`contains ${name}`, () => {
      expect(read(asked)).to.deep.equal({ model: 'm', messages: [hi], ...chat })
    })
  }

  const f = { type: 'function' as const, name: 'f', parameters: { type: 'object' }, strict: true }
  const g = { type: 'function' as const, name: 'g', description: 'd', parameters: null, strict: null }
  const chatF = {
    type: 'function' as const,
    function: { name: 'f', parameters: { type: 'object' }, strict: true },
  }
  const chatG = { type: 'function' as const, function: { name: 'g', description: 'd' } }
  const choices: [string, Asked, Chat][] = [
    ['functions', {}, { tools: [chatF, chatG] }],
    ['no choice', { tool_choice: 'none' }, { tools: [chatF, chatG], tool_choice: 'none' }],
    ['a call that must be', { tool_choice: 'required' }, { tools: [chatF, chatG], tool_choice: 'required' }],
    [
      'one function',
      { tool_choice: { type: 'function', name: 'g' } },
      { tools: [chatF, chatG], tool_choice: { type: 'function', function: { name: 'g' } } },
    ],
    [
      'some functions, as the only ones',
      { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'g' }] } },
      { tools: [chatG], tool_choice: 'required' },
    ],
    [
      'calls one at a time',
      { parallel_tool_calls: false },
      { tools: [chatF, chatG], parallel_tool_calls: false },
    ],
  ]
  for (const [name, asked, chat] of choices) {
    it(`contains ${name} that can be called`, () => {
      expect(read({ tools: [f, g], ...asked })).to.deep.equal({ model: 'm', messages: [hi], ...chat })
    })
  }

  const call = (id: string): ResponseInputItem => ({
    type: 'function_call',
    call_id: id,
    name: 'f',
    arguments: '{}',
  })
  const chatCall = (id: string) => ({
    id,
    type: 'function' as const,
    function: { name: 'f', arguments: '{}' },
  })
  const output = (id: string): ResponseInputItem => ({
    type: 'function_call_output',
    call_id: id,
    output: id,
  })
  const toolMessage = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: id })
  const said = (text: string): ResponseInputItem => ({
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  })

  const inputs: [string, ResponseInputItem[], Message[]][] = [
    [
      'roles',
      [
        { role: 'system', content: 's' },
        { role: 'developer', content: 'd' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'u' }] },
        { role: 'assistant', content: 'a' },
      ],
      [
        { role: 'system', content: 's' },
        { role: 'developer', content: 'd' },
        { role: 'user', content: 'u' },
        { role: 'assistant', content: 'a' },
      ],
    ],
    [
      'images, files and audio',
      [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', image_url: 'https://a.example/i.png', detail: 'low' },
            { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'original' },
            { type: 'input_file', file_data: 'data:application/pdf;base64,AA', filename: 'a.pdf' },
            { type: 'input_file', file_id: 'file-1' },
            { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } } as never,
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'https://a.example/i.png', detail: 'low' } },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'high' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,AA', filename: 'a.pdf' } },
            { type: 'file', file: { file_id: 'file-1' } },
            { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
          ],
        },
      ],
    ],
    [
      'parallel calls in one message, with the text before them',
      [{ role: 'user', content: 'u' }, said('wait'), call('a'), call('b'), output('a'), output('b')],
      [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: 'wait', tool_calls: [chatCall('a'), chatCall('b')] },
        toolMessage('a'),
        toolMessage('b'),
      ],
    ],
    [
      'calls one after the other in a message each',
      [call('a'), output('a'), call('b'), output('b'), said('done')],
      [
        { role: 'assistant', content: null, tool_calls: [chatCall('a')] },
        toolMessage('a'),
        { role: 'assistant', content: null, tool_calls: [chatCall('b')] },
        toolMessage('b'),
        { role: 'assistant', content: 'done' },
      ],
    ],
    [
      'text between the calls of one message',
      [call('a'), said('and'), call('b'), output('a'), output('b')],
      [
        {
          role: 'assistant',
          content: 'and',
          tool_calls: [chatCall('a'), chatCall('b')],
          content_blocks: [
            { type: 'tool_use', id: 'a' },
            { type: 'text', text: 'and' },
          ],
        },
        toolMessage('a'),
        toolMessage('b'),
      ],
    ],
    [
      'two messages of the assistant as two',
      [said('one'), said('two')],
      [
        { role: 'assistant', content: 'one' },
        { role: 'assistant', content: 'two' },
      ],
    ],
    [
      'a refusal',
      [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'refusal', refusal: 'no' }],
        },
      ],
      [{ role: 'assistant', content: null, refusal: 'no' }],
    ],
    [
      'the parts that a function gave back',
      [
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [
            { type: 'input_text', text: 'x' },
            { type: 'input_text', text: 'y' },
          ],
        },
      ],
      [
        {
          role: 'tool',
          tool_call_id: 'a',
          content: [
            { type: 'text', text: 'x' },
            { type: 'text', text: 'y' },
          ],
        },
      ],
    ],
    [
      'no reasoning of others',
      [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: 'AAAA',
        },
        said('a'),
      ],
      [{ role: 'assistant', content: 'a' }],
    ],
  ]
  for (const [name, input, messages] of inputs) {
    it(`contains ${name}`, () => {
      const whole = { model: 'm', instructions: 'i', input }
      const chat = readRequest(whole as never, createContext(whole))
      expect(chat.messages).to.deep.equal([{ role: 'system', content: 'i' }, ...messages])
    })
  }

  it('leaves the original request unchanged', () => {
    const body = { model: 'm', input: [said('a'), call('b'), output('b')], tools: [f] }
    const before = structuredClone(body)
    readRequest(body as never, createContext(body))
    expect(body).to.deep.equal(before)
  })
})
