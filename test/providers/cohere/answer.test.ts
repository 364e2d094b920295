/**
 * v2 chat answers → chat completions. Sources: https://docs.cohere.com/reference/chat,
 * https://docs.cohere.com/docs/rag-citations, https://docs.cohere.com/docs/reasoning
 */
import type { JsonObject } from '@gateway/contract'
import { cohereDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import type { ChatResponse } from '#kit/dialect/cohere/types'
import { createContext, createdAt } from '../fixtures/context.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'
import { answerOf, messageOf, model } from './fixtures/chat.ts'

type Message = ChatResponse['message']
type Reason = ChatResponse['finish_reason']

const choiceOf = (answer: JsonObject): JsonObject => (answer.choices as JsonObject[])[0] ?? {}

describe('Cohere answers', () => {
  it('are chat completions, with the input and output tokens', () => {
    expect(answerOf({})).to.deep.equal({
      id: 'c14c80c3-18eb-4519-9460-6c92edd8cfb4',
      object: 'chat.completion',
      created: createdAt,
      model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'LLMs are models.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 71, completion_tokens: 6, total_tokens: 77 },
    })
  })

  const reasons: [Reason, string][] = [
    ['COMPLETE', 'stop'],
    ['STOP_SEQUENCE', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['TOOL_CALL', 'tool_calls'],
  ]
  for (const [given, expected] of reasons) {
    it(`have finish_reason ${expected} for ${given}, which is included without strict compliance`, () => {
      expect(choiceOf(answerOf({ finish_reason: given }))).to.not.have.property('provider_finish_reason')
      expect(choiceOf(answerOf({ finish_reason: given }, { strict: false }))).to.include({
        finish_reason: expected,
        provider_finish_reason: given,
      })
    })
  }

  it('have finish_reason stop for unknown reasons', () => {
    const answer = answerOf({ finish_reason: 'CONSTRUCTOR' as Reason })
    expect(choiceOf(answer)).to.include({ finish_reason: 'stop' })
  })

  const failures: [Reason, number][] = [
    ['ERROR', 502],
    ['TIMEOUT', 504],
  ]
  for (const [reason, status] of failures) {
    it(`are provider errors for ${reason}`, () => {
      const error = upstreamErrorOf(() => answerOf({ finish_reason: reason }))
      expect(error).to.include({ status, code: reason.toLowerCase(), type: 'upstream_error' })
    })
  }

  const usages: [string, ChatResponse['usage'], JsonObject, boolean][] = [
    [
      'cached tokens',
      { tokens: { input_tokens: 10, output_tokens: 2 }, cached_tokens: 8 },
      {
        prompt_tokens: 10,
        completion_tokens: 2,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 8 },
      },
      true,
    ],
    [
      'what is billed, where nothing else is told',
      { billed_units: { input_tokens: 3, output_tokens: 1 } },
      { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
      true,
    ],
    [
      'the billed units in addition, without strict compliance',
      { billed_units: { input_tokens: 3, output_tokens: 1 } },
      {
        prompt_tokens: 3,
        completion_tokens: 1,
        total_tokens: 4,
        billed_units: { input_tokens: 3, output_tokens: 1 },
      },
      false,
    ],
  ]
  for (const [what, usage, expected, strict] of usages) {
    it(`contain ${what}`, () => {
      expect(answerOf(usage === undefined ? {} : { usage }, { strict }).usage).to.deep.equal(expected)
    })
  }

  it('contain log probabilities, with the sum for text of several tokens', () => {
    const logprobs = [
      { text: 'Hé', token_ids: [1], logprobs: [-0.5] },
      { text: ' llo', token_ids: [2, 3], logprobs: [-1, -0.25] },
      { text: 'x', token_ids: [4] },
    ]
    expect(choiceOf(answerOf({ logprobs })).logprobs).to.deep.equal({
      content: [
        { token: 'Hé', logprob: -0.5, bytes: [72, 195, 169], top_logprobs: [] },
        { token: ' llo', logprob: -1.25, bytes: [32, 108, 108, 111], top_logprobs: [] },
      ],
    })
  })

  const thinking: Message = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'So ' },
      { type: 'text', text: 'it is.' },
    ],
  }
  it('show thinking without strict compliance only', () => {
    expect(messageOf(answerOf({ message: thinking }))).to.deep.equal({
      role: 'assistant',
      content: 'So it is.',
      refusal: null,
    })
    expect(messageOf(answerOf({ message: thinking }, { strict: false }))).to.deep.equal({
      role: 'assistant',
      content: 'So it is.',
      refusal: null,
      content_blocks: thinking.content,
    })
  })

  const cited: Message = {
    ...thinking,
    citations: [
      {
        start: 0,
        end: 2,
        text: 'it',
        content_index: 2,
        type: 'TEXT_CONTENT',
        sources: [
          { type: 'document', id: '1', document: { title: 'T', url: 'https://host/a', snippet: 'it' } },
          { type: 'document', id: '2', document: { title: 'No URL' } },
          { type: 'tool', id: 't:0', tool_output: { url: 'https://host/b' } },
        ],
      },
      { start: 0, end: 1, text: 'H', type: 'THINKING_CONTENT', sources: [{ type: 'document', id: '1' }] },
    ],
  }
  it('annotate the whole text with the citations that have a URL', () => {
    const place = { start_index: 3, end_index: 5 }
    const message = messageOf(answerOf({ message: cited }))
    expect(message.annotations).to.deep.equal([
      { type: 'url_citation', url_citation: { ...place, url: 'https://host/a', title: 'T' } },
      { type: 'url_citation', url_citation: { ...place, url: 'https://host/b', title: '' } },
    ])
    expect(message).to.not.have.property('citations')
  })
  it("include the vendor's own citations without strict compliance", () => {
    expect(messageOf(answerOf({ message: cited }, { strict: false })).citations).to.deep.equal(
      cited.citations,
    )
  })

  const odd: [string, JsonObject][] = [
    ['no message', { id: 'x', finish_reason: 'COMPLETE' }],
    ['a message that is a text', { message: 'hi' }],
    ['nothing', {}],
  ]
  for (const [what, body] of odd) {
    it(`are refused with ${what}`, () => {
      const error = gatewayErrorOf(() => cohereDialect.answer(body, createContext()))
      expect(error.code).to.equal('upstream_invalid_response')
    })
  }

  it('ignore members of unexpected types', () => {
    const message = { content: [null, 7, { type: 'text' }], tool_calls: [{}], citations: [{ sources: 1 }] }
    const body: JsonObject = { message, usage: [], logprobs: 'x', finish_reason: 3, id: 4 }
    expect(messageOf(cohereDialect.answer(body, createContext({ strict: false })))).to.deep.equal({
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: '', arguments: '{}' } }],
      citations: [{ sources: 1 }],
    })
  })

  it('return errors of the API with their status', () => {
    expect(cohereDialect.error?.(429, { id: 'x', message: 'too many requests' }, {})).to.include({
      status: 429,
      message: 'too many requests',
    })
    expect(cohereDialect.error?.(500, { id: 'x' }, {})).to.equal(null)
  })
})
