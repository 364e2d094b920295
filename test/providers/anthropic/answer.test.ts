/**
 * Messages → chat completions.
 * Source: https://platform.claude.com/docs/en/api/messages and …/build-with-claude/handling-stop-reasons
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { createdAt } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { answerOf } from './fixtures/chat.ts'

const message: JsonObject = {
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 6 },
}
const toolUse = (id: string, name: string, input: JsonObject): JsonObject => ({
  type: 'tool_use',
  id,
  name,
  input,
})

function choiceOf(answer: JsonObject): JsonObject {
  const [choice] = Array.isArray(answer.choices) ? answer.choices : []
  return choice as JsonObject
}

describe('Anthropic answers', () => {
  it('are chat completions with the id and model of the vendor', () => {
    expect(answerOf(message)).to.deep.equal({
      id: 'msg_01',
      object: 'chat.completion',
      created: createdAt,
      model: 'claude-sonnet-4-5-20250929',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 6,
        total_tokens: 18,
        prompt_tokens_details: { cached_tokens: 0 },
      },
    })
  })

  const reasons: [string, string][] = [
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['a_reason_of_tomorrow', 'stop'],
  ]
  for (const [stop_reason, finish_reason] of reasons) {
    it(`have finish_reason ${finish_reason} for ${stop_reason}, and include the vendor's own reason without strict compliance`, () => {
      const strict = choiceOf(answerOf({ ...message, stop_reason }))
      const loose = choiceOf(answerOf({ ...message, stop_reason }, { strict: false }))
      expect(strict).to.include({ finish_reason }).and.not.have.property('provider_finish_reason')
      expect(loose).to.include({ finish_reason, provider_finish_reason: stop_reason })
    })
  }

  it("include the vendor's explanation of a refusal", () => {
    const stop_details = { type: 'refusal', category: null, explanation: 'Not this.' }
    const choice = choiceOf(answerOf({ ...message, content: [], stop_reason: 'refusal', stop_details }))
    expect(choice).to.deep.include({
      message: { role: 'assistant', content: '', refusal: 'Not this.' },
      finish_reason: 'content_filter',
    })
  })

  it('include no vendor reason if the vendor gives none', () => {
    const choice = choiceOf(answerOf({ ...message, stop_reason: null }, { strict: false }))
    expect(choice).to.include({ finish_reason: 'stop' }).and.not.have.property('provider_finish_reason')
  })

  it('join text blocks and convert tool use to tool calls', () => {
    const content = [
      { type: 'text', text: 'Loo' },
      { type: 'text', text: 'king' },
      toolUse('toolu_1', 'get_weather', { city: 'Paris', days: [1, 2] }),
      toolUse('toolu_2', 'get_time', {}),
    ]
    const choice = choiceOf(answerOf({ ...message, content, stop_reason: 'tool_use' }))
    expect(choice.message).to.deep.equal({
      role: 'assistant',
      content: 'Looking',
      refusal: null,
      tool_calls: [
        {
          id: 'toolu_1',
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":"Paris","days":[1,2]}' },
        },
        { id: 'toolu_2', type: 'function', function: { name: 'get_time', arguments: '{}' } },
      ],
    })
  })

  it('have null content with only tool calls, and empty content without any block', () => {
    const contents = [[toolUse('toolu_1', 'f', {})], []].map(
      (content) => (choiceOf(answerOf({ ...message, content })).message as JsonObject).content,
    )
    expect(contents).to.deep.equal([null, ''])
  })

  it('use the legacy function_call for a legacy request', () => {
    const request = { functions: [{ name: 'f' }] }
    const content = [toolUse('toolu_1', 'f', { a: 1 })]
    const choice = choiceOf(answerOf({ ...message, content, stop_reason: 'tool_use' }, { request }))
    expect(choice).to.deep.include({
      finish_reason: 'function_call',
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        function_call: { name: 'f', arguments: '{"a":1}' },
      },
    })
  })

  const thought = [
    { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'ZGF0YQ' },
    { type: 'text', text: 'Hello' },
  ]
  const cited = [{ type: 'text', text: 'Hello', citations: [{ type: 'char_location', cited_text: 'Hel' }] }]
  for (const [what, content] of Object.entries({ thinking: thought, citations: cited })) {
    it(`include ${what} in content_blocks only without strict compliance`, () => {
      const loose = choiceOf(answerOf({ ...message, content }, { strict: false })).message
      const strict = choiceOf(answerOf({ ...message, content })).message
      expect(loose).to.deep.equal({
        role: 'assistant',
        content: 'Hello',
        refusal: null,
        content_blocks: content,
      })
      expect(strict).to.deep.equal({ role: 'assistant', content: 'Hello', refusal: null })
    })
  }

  it('have no content_blocks with only plain text and tool use', () => {
    const content = [{ type: 'text', text: 'Hello', citations: null }, toolUse('toolu_1', 'f', {})]
    const choice = choiceOf(answerOf({ ...message, content }, { strict: false }))
    expect(choice.message).to.not.have.property('content_blocks')
  })

  const cached = {
    input_tokens: 10,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 50,
    output_tokens: 7,
    output_tokens_details: { thinking_tokens: 4 },
  }
  const counted = {
    prompt_tokens: 160,
    completion_tokens: 7,
    total_tokens: 167,
    prompt_tokens_details: { cached_tokens: 100 },
    completion_tokens_details: { reasoning_tokens: 4 },
  }
  it('count cached input as input', () => {
    expect(answerOf({ ...message, usage: cached }).usage).to.deep.equal(counted)
  })
  it("include the vendor's cache counts without strict compliance", () => {
    expect(answerOf({ ...message, usage: cached }, { strict: false }).usage).to.deep.equal({
      ...counted,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 50,
    })
  })

  it('are refused without content', () => {
    expect(gatewayErrorOf(() => answerOf({ id: 'msg_01' })).code).to.equal('upstream_invalid_response')
  })
})
