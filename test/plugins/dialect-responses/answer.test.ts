/** A chat answer as a response. The expected values have the types of the vendor's package. */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { Response, ResponseOutputItem } from 'openai/resources/responses/responses'
import { writeAnswer } from '#dialect-responses/answer'
import { carryBlocks } from '#dialect-responses/carried'
import { readRequest } from '#dialect-responses/request'
import { gatewayErrorOf } from '../../providers/fixtures/thrown.ts'
import { chatAnswer, createContext, createdAt, nowMs } from './support.ts'

const usage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 18,
}

/** The client computes `output_text`. */
type Wire = Omit<Response, 'output_text'>

/** Members that Open Responses requires but the vendor's types do not have. */
const others = { frequency_penalty: 0, presence_penalty: 0, max_tool_calls: null, safety_identifier: null }

const blank: Wire = {
  id: 'resp_1',
  object: 'response',
  created_at: createdAt,
  completed_at: nowMs / 1000,
  status: 'completed',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  model: 'm-1',
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  usage,
}

const message = (
  content: (ResponseOutputItem & { type: 'message' })['content'],
  index = 0,
  status: 'completed' | 'incomplete' = 'completed',
): ResponseOutputItem => ({ id: `msg_1_${index}`, type: 'message', role: 'assistant', status, content })

const text = (said: string) => ({ type: 'output_text' as const, text: said, annotations: [], logprobs: [] })

const call = (index: number, id: string, args: string): ResponseOutputItem => ({
  id: `fc_1_${index}`,
  type: 'function_call',
  status: 'completed',
  call_id: id,
  name: 'f',
  arguments: args,
})

const reasoning = (texts: string[], blocks: JsonObject[] = []): ResponseOutputItem => ({
  id: 'rs_1_0',
  type: 'reasoning',
  summary: texts.map((said) => ({ type: 'summary_text', text: said })),
  encrypted_content: carryBlocks(blocks, texts),
})

const chatCall = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
})

describe('a chat answer as a response', () => {
  const rows: [string, JsonObject, Partial<Wire>][] = [
    ['a text', chatAnswer({ content: 'hello' }), { output: [message([text('hello')])] }],
    [
      'a text in parts',
      chatAnswer({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
      { output: [message([text('ab')])] },
    ],
    ['a refusal', chatAnswer({ refusal: 'no' }), { output: [message([{ type: 'refusal', refusal: 'no' }])] }],
    ['silence', chatAnswer({ content: '' }), { output: [message([text('')])] }],
    [
      'calls',
      chatAnswer({ tool_calls: [chatCall('a', '{"x":1}'), chatCall('b', '')] }, 'tool_calls'),
      { output: [call(0, 'a', '{"x":1}'), call(1, 'b', '{}')] },
    ],
    [
      'all of it in order',
      chatAnswer({ content: 'so', reasoning_content: 'hm', tool_calls: [chatCall('a', '{}')] }, 'tool_calls'),
      { output: [reasoning(['hm']), message([text('so')], 1), call(2, 'a', '{}')] },
    ],
    [
      'reasoning by its other name',
      chatAnswer({ content: 'so', reasoning: 'hm' }),
      { output: [reasoning(['hm']), message([text('so')], 1)] },
    ],
    [
      'a text that is cut off',
      chatAnswer({ content: 'hel' }, 'length'),
      {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [message([text('hel')], 0, 'incomplete')],
      },
    ],
    [
      'reasoning that took all tokens',
      chatAnswer({ content: '', reasoning_content: 'hm' }, 'length'),
      {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [reasoning(['hm'])],
      },
    ],
    [
      'a filter that stepped in',
      chatAnswer({ content: null }, 'content_filter'),
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] },
    ],
    [
      'citations',
      chatAnswer({
        content: 'see',
        annotations: [
          {
            type: 'url_citation',
            url_citation: { start_index: 0, end_index: 3, title: 't', url: 'https://a.example' },
          },
        ],
      }),
      {
        output: [
          message([
            {
              ...text('see'),
              annotations: [
                { type: 'url_citation', start_index: 0, end_index: 3, title: 't', url: 'https://a.example' },
              ],
            },
          ]),
        ],
      },
    ],
    [
      'log probabilities',
      chatAnswer({ content: 'a' }, 'stop', {
        logprobs: {
          content: [
            {
              token: 'a',
              bytes: [97],
              logprob: -1,
              top_logprobs: [{ token: 'b', bytes: null, logprob: -2 }],
            },
          ],
        },
      }),
      {
        output: [
          message([
            {
              ...text('a'),
              logprobs: [
                {
                  token: 'a',
                  bytes: [97],
                  logprob: -1,
                  top_logprobs: [{ token: 'b', bytes: [], logprob: -2 }],
                },
              ],
            },
          ]),
        ],
      },
    ],
    [
      'the tier that served it',
      { ...chatAnswer({ content: 'a' }), service_tier: 'flex' },
      { output: [message([text('a')])], service_tier: 'flex' },
    ],
  ]
  for (const [name, answer, expected] of rows) {
    it(`contains ${name}`, () => {
      const response = writeAnswer(answer, createContext())
      const completed_at = expected.status === 'incomplete' ? null : blank.completed_at
      const whole = { ...blank, ...others, completed_at, prompt_cache_key: null, store: true }
      expect(response).to.deep.equal({ ...whole, ...expected })
    })
  }

  it('repeats the parameters of the request', () => {
    const asked = {
      instructions: 'i',
      max_output_tokens: 5,
      metadata: { a: 'b' },
      parallel_tool_calls: false,
      previous_response_id: 'resp_0',
      prompt_cache_key: 'k',
      reasoning: { effort: 'low' },
      safety_identifier: 's',
      store: false,
      temperature: 0.5,
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      tool_choice: 'none',
      tools: [{ type: 'function', name: 'f' }],
      top_logprobs: 2,
      top_p: 0.5,
      truncation: 'auto',
      user: 'u',
    }
    const response = writeAnswer(chatAnswer({ content: 'a' }), createContext(asked))
    expect(response).to.deep.include({
      ...asked,
      reasoning: { effort: 'low', summary: null },
      tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: false }],
    })
  })

  it('has no usage when the provider reports none', () => {
    const { usage: _, ...answer } = chatAnswer({ content: 'a' })
    expect(writeAnswer(answer, createContext()).usage).to.equal(null)
  })

  it('generates an id for a call without one', () => {
    const answer = chatAnswer({
      tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{}' } }],
    })
    expect(writeAnswer(answer, createContext()).output).to.deep.equal([call(0, 'call_2', '{}')])
  })

  it('fails without a choice', () => {
    for (const answer of [{}, { choices: [] }, { choices: [{}] }, { choices: 'x' }] as JsonObject[]) {
      const error = gatewayErrorOf(() => writeAnswer(answer, createContext()))
      expect(error.code).to.equal('upstream_invalid_response')
    }
  })

  it('ignores members of a wrong type', () => {
    const odd = { content: 1, tool_calls: [{ id: 2, function: 'x' }, 'y'], annotations: {}, refusal: [] }
    const answer = { ...chatAnswer(odd as never), usage: 'many', created: 'now' }
    expect(writeAnswer(answer, createContext()).output).to.have.length(1)
  })

  it('is accepted as input by the next request, as the same conversation', () => {
    const blocks = [
      { type: 'thinking', thinking: 'hm', signature: 's1' },
      { type: 'redacted_thinking', data: 'xx' },
      { type: 'thinking', thinking: '', signature: 's2' },
      { type: 'thinking', thinking: 'so', signature: 's3' },
      { type: 'redacted_thinking', data: 'yy' },
    ]
    const calls = [chatCall('a', '{"x":1}'), chatCall('b', '{}')]
    const answer = chatAnswer(
      { content: 'let me see', content_blocks: blocks, tool_calls: calls },
      'tool_calls',
    )
    const { output } = writeAnswer(answer, createContext())
    const next = { model: 'm', input: output ?? null }
    expect(readRequest(next, createContext(next)).messages).to.deep.equal([
      { role: 'assistant', content: 'let me see', tool_calls: calls, content_blocks: blocks },
    ])
    expect(JSON.stringify(output).split('"hm"')).to.have.length(2)
  })
})
