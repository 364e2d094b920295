/**
 * Answers.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_ResponseSyntax
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { createdAt } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import {
  type Answer,
  answerWith,
  chatOf,
  choiceOf,
  claude,
  nova,
  usage,
  type WireBlock,
} from './fixtures/chat.ts'

const hello: WireBlock = { text: 'Hello' }
const call = (toolUseId: string, name: string, input: JsonObject): WireBlock => ({
  toolUse: { toolUseId, name, input },
})

describe('Converse answers', () => {
  it('are chat completions', () => {
    expect(chatOf(answerWith([hello]))).to.deep.equal({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: createdAt,
      model: claude,
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
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['malformed_model_output', 'stop'],
    ['malformed_tool_use', 'stop'],
    ['a_reason_of_tomorrow', 'stop'],
    ['constructor', 'stop'],
  ]
  for (const [stopReason, finish_reason] of reasons) {
    it(`have finish_reason ${finish_reason} for ${stopReason}, and include the vendor's own reason without strict compliance`, () => {
      const answer = { ...answerWith([hello]), stopReason }
      expect(choiceOf(chatOf(answer)))
        .to.include({ finish_reason })
        .and.not.have.property('provider_finish_reason')
      expect(choiceOf(chatOf(answer, { strict: false }))).to.include({
        finish_reason,
        provider_finish_reason: stopReason,
      })
    })
  }

  it('join texts and convert tool use to tool calls', () => {
    const content = [
      { text: 'Loo' },
      { text: 'king' },
      call('t1', 'get_weather', { city: 'Paris' }),
      call('t2', 'f', {}),
    ]
    const choice = choiceOf(chatOf(answerWith(content, { stopReason: 'tool_use' })))
    expect(choice).to.deep.include({
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Looking',
        refusal: null,
        tool_calls: [
          { id: 't1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
          { id: 't2', type: 'function', function: { name: 'f', arguments: '{}' } },
        ],
      },
    })
  })

  it('have null content with only tool calls, and empty content without any block', () => {
    const contents = [[call('t1', 'f', {})], []].map(
      (content) => (choiceOf(chatOf(answerWith(content))).message as JsonObject).content,
    )
    expect(contents).to.deep.equal([null, ''])
  })

  it('use the legacy function_call for a legacy request', () => {
    const request = { functions: [{ name: 'f' }] }
    const answer = answerWith([call('t1', 'f', { a: 1 })], { stopReason: 'tool_use' })
    expect(choiceOf(chatOf(answer, { request }))).to.deep.include({
      finish_reason: 'function_call',
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        function_call: { name: 'f', arguments: '{"a":1}' },
      },
    })
  })

  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const asked = {
    model: nova,
    response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
  }
  it('made by the schema tool are the requested text', () => {
    const answer = answerWith([call('t1', 'json_output', { city: 'Paris' })], { stopReason: 'tool_use' })
    expect(choiceOf(chatOf(answer, { request: asked }))).to.deep.include({
      finish_reason: 'stop',
      message: { role: 'assistant', content: '{"city":"Paris"}', refusal: null },
    })
  })

  it("contain a call of the caller's tool with the same name", () => {
    const request = { ...asked, tools: [{ type: 'function', function: { name: 'json_output' } }] }
    const answer = answerWith([call('t1', 'json_output', {})], { stopReason: 'tool_use' })
    expect(choiceOf(chatOf(answer, { request })).message).to.have.property('tool_calls')
  })

  const thought: WireBlock[] = [
    { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
    { reasoningContent: { redactedContent: 'ZGF0YQ==' } },
    hello,
  ]
  it('include reasoning in content_blocks only without strict compliance', () => {
    expect(choiceOf(chatOf(answerWith(thought), { strict: false })).message).to.deep.equal({
      role: 'assistant',
      content: 'Hello',
      refusal: null,
      content_blocks: [
        { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'ZGF0YQ==' },
        { type: 'text', text: 'Hello' },
      ],
    })
    expect(choiceOf(chatOf(answerWith(thought))).message).to.deep.equal({
      role: 'assistant',
      content: 'Hello',
      refusal: null,
    })
  })

  const location = { documentChar: { documentIndex: 0, start: 0, end: 3 } }
  const web = { web: { url: 'https://a.example/', domain: 'a.example' } }
  const cited: WireBlock[] = [
    { text: 'So: ' },
    { citationsContent: { content: [{ text: 'the sky' }], citations: [{ title: 'Sky', location: web }] } },
    { citationsContent: { content: [{ text: ' is blue.' }], citations: [{ title: 'a', location }] } },
  ]
  it('include web citations as annotations, and all citations without strict compliance', () => {
    const annotations = [
      {
        type: 'url_citation',
        url_citation: { url: 'https://a.example/', title: 'Sky', start_index: 4, end_index: 11 },
      },
    ]
    const message = { role: 'assistant', content: 'So: the sky is blue.', refusal: null, annotations }
    expect(choiceOf(chatOf(answerWith(cited))).message).to.deep.equal(message)
    expect(choiceOf(chatOf(answerWith(cited), { strict: false })).message).to.deep.equal({
      ...message,
      content_blocks: [
        { type: 'text', text: 'So: ' },
        { type: 'text', text: 'the sky', citations: [{ title: 'Sky', location: web }] },
        { type: 'text', text: ' is blue.', citations: [{ title: 'a', location }] },
      ],
    })
  })

  const cached = { ...usage, cacheReadInputTokens: 100, cacheWriteInputTokens: 50 }
  const counted = {
    prompt_tokens: 162,
    completion_tokens: 6,
    total_tokens: 168,
    prompt_tokens_details: { cached_tokens: 100 },
  }
  it('count cached input as input, and include cache counts without strict compliance', () => {
    expect(chatOf(answerWith([hello], { usage: cached })).usage).to.deep.equal(counted)
    expect(chatOf(answerWith([hello], { usage: cached }), { strict: false }).usage).to.deep.equal({
      ...counted,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 50,
    })
  })

  const more: Answer = {
    trace: { promptRouter: { invokedModelId: 'm' } },
    performanceConfig: { latency: 'optimized' },
    additionalModelResponseFields: { stop_sequence: 'END' },
    serviceTier: { type: 'flex' },
  }
  it("include the service tier always, and the vendor's trace and metrics without strict compliance", () => {
    const { serviceTier: _tier, ...extras } = more
    const loose = chatOf(answerWith([hello], more), { strict: false })
    expect(loose).to.deep.include({ service_tier: 'flex', metrics: { latencyMs: 120 }, ...extras })
    const strict = chatOf(answerWith([hello], more))
    expect(strict)
      .to.include({ service_tier: 'flex' })
      .and.not.have.any.keys('trace', 'metrics', 'performanceConfig')
  })

  const odd: JsonObject[] = [
    {},
    { output: null },
    { output: { message: null } },
    { output: { message: { content: 'x' } } },
  ]
  for (const body of odd) {
    it(`are refused as ${JSON.stringify(body)}`, () => {
      expect(gatewayErrorOf(() => chatOf(body)).code).to.equal('upstream_invalid_response')
    })
  }

  it('of any form are parsed or refused, without an exception', () => {
    const members = fc.constantFrom(
      'toolUse',
      'text',
      'reasoningContent',
      'citationsContent',
      'image',
      'input',
    )
    const block = fc.dictionary(members, fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true })
    const content = fc.array(fc.oneof(block, fc.jsonValue({ maxDepth: 1 })))
    assertProperty(
      fc.property(
        content,
        fc.jsonValue(),
        fc.jsonValue(),
        fc.boolean(),
        (blocks, stopReason, counts, strict) => {
          const body = { output: { message: { content: blocks } }, stopReason, usage: counts, trace: counts }
          expect(chatOf(body as unknown as JsonObject, { strict }).object).to.equal('chat.completion')
        },
      ),
    )
  })

  const strange: JsonObject[] = [
    {
      output: {
        message: {
          content: [null, 'x', {}, { toolUse: 5 }, { reasoningContent: null }, { citationsContent: {} }],
        },
      },
    },
    {
      output: { message: { content: [{ toolUse: {} }, { image: { format: 'png' } }] } },
      usage: 'many',
      stopReason: 7,
    },
  ]
  for (const body of strange) {
    it(`with unknown members are accepted: ${JSON.stringify(body).slice(0, 60)}`, () => {
      expect(chatOf(body, { strict: false }).object).to.equal('chat.completion')
    })
  }
})
