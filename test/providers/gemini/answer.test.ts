/**
 * `generateContent` answers → chat completions.
 * Source: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
 */
import type { JsonObject } from '@gateway/contract'
import { geminiDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createContext, createdAt } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import {
  type Answer,
  answerOf,
  type Candidate,
  callOf,
  choiceOf,
  messageOf,
  weather,
} from './fixtures/chat.ts'

const loose = { strict: false }

const plain: Answer = {
  responseId: 'resp_1',
  modelVersion: 'gemini-2.5-flash-001',
  candidates: [
    { content: { role: 'model', parts: [{ text: 'Hel' }, { text: 'lo' }] }, finishReason: 'STOP', index: 0 },
  ],
  usageMetadata: {
    promptTokenCount: 100,
    cachedContentTokenCount: 60,
    toolUsePromptTokenCount: 7,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 30,
    totalTokenCount: 157,
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 5 }],
  },
}

describe('Gemini answers', () => {
  it('are chat completions', () => {
    expect(answerOf(plain)).to.deep.equal({
      id: 'resp_1',
      object: 'chat.completion',
      created: createdAt,
      model: 'gemini-2.5-flash-001',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 107,
        completion_tokens: 50,
        total_tokens: 157,
        prompt_tokens_details: { cached_tokens: 60, audio_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
    })
  })

  it('get an id, the requested model and no tokens when the API reports none', () => {
    const answer = answerOf({ candidates: [{}] }, { request: { model: 'asked' } })
    expect(answer).to.deep.include({ id: 'chatcmpl-1', model: 'asked' })
    expect(answer.usage).to.deep.include({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })
    expect(answer.choices).to.deep.equal([
      {
        index: 0,
        message: { role: 'assistant', content: '', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ])
  })

  it('can contain several choices', () => {
    const candidates: Candidate[] = [
      { content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' },
      { content: { parts: [{ text: 'b' }] }, finishReason: 'MAX_TOKENS', index: 1 },
    ]
    const choices = answerOf({ candidates }).choices as { index: number; finish_reason: string }[]
    expect(choices.map((choice) => [choice.index, choice.finish_reason])).to.deep.equal([
      [0, 'stop'],
      [1, 'length'],
    ])
  })

  it("contain calls with the vendor's ids or new ones, and with signatures even under strict compliance", () => {
    const choice = choiceOf({
      content: {
        parts: [
          { functionCall: { id: 'abc', name: 'f', args: { a: [1] } }, thoughtSignature: 'c2ln' },
          { functionCall: { name: 'g' } },
        ],
      },
      finishReason: 'STOP',
    })
    expect(choice).to.deep.include({ finish_reason: 'tool_calls' })
    expect(choice.message).to.deep.equal({
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [
        callOf('abc', { name: 'f', args: '{"a":[1]}', signature: 'c2ln' }),
        callOf('call_1', { name: 'g', args: '{}' }),
      ],
    })
  })

  it('use the legacy function_call for a legacy request', () => {
    const request = { functions: [weather.function ?? {}] }
    const choice = choiceOf(
      { content: { parts: [{ functionCall: { name: 'f', args: {} } }] }, finishReason: 'STOP' },
      { request },
    )
    expect(choice).to.deep.include({ finish_reason: 'function_call' })
    expect(choice.message).to.deep.include({ function_call: { name: 'f', arguments: '{}' } })
    expect(choice.message).to.not.have.property('tool_calls')
  })

  it('hide thoughts under strict compliance', () => {
    const parts = [
      { text: 'Hm', thought: true },
      { text: 'So', thoughtSignature: 'c2ln' },
    ]
    expect(messageOf(parts)).to.deep.equal({ role: 'assistant', content: 'So', refusal: null })
  })

  it('show thoughts, images, code and signatures without strict compliance', () => {
    const parts = [
      { text: 'H', thought: true },
      { text: 'm', thought: true },
      { text: 'See ' },
      { text: 'this' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { executableCode: { code: '1+1', language: 'PYTHON' as const } },
      { text: '', thoughtSignature: 'c2ln' },
    ]
    expect(messageOf(parts, loose)).to.deep.equal({
      role: 'assistant',
      content: 'See this',
      refusal: null,
      content_blocks: [
        { type: 'thinking', thinking: 'Hm' },
        { type: 'text', text: 'See this' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'executableCode', executableCode: { code: '1+1', language: 'PYTHON' } },
      ],
      extra_content: { google: { thought_signature: 'c2ln' } },
    })
    expect(messageOf([{ text: 'a' }], loose)).to.deep.equal({
      role: 'assistant',
      content: 'a',
      refusal: null,
    })
  })

  const reasons: [string, string][] = [
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
    ['OTHER', 'stop'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['REASON_OF_TOMORROW', 'stop'],
    ['constructor', 'stop'],
  ]
  for (const [reason, finish] of reasons) {
    it(`have finish_reason ${finish} for ${reason}, which is included without strict compliance`, () => {
      const candidate = { finishReason: reason } as unknown as Candidate
      expect(choiceOf(candidate)).to.deep.include({ finish_reason: finish })
      expect(choiceOf(candidate)).to.not.have.property('provider_finish_reason')
      expect(choiceOf(candidate, loose)).to.deep.include({
        finish_reason: finish,
        provider_finish_reason: reason,
      })
    })
  }

  it('have finish_reason content_filter for a blocked prompt', () => {
    const blocked: Answer = {
      promptFeedback: { blockReason: 'OTHER' },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    }
    expect(answerOf(blocked)).to.deep.include({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '', refusal: null },
          logprobs: null,
          finish_reason: 'content_filter',
        },
      ],
    })
    expect(answerOf(blocked).usage).to.deep.include({ prompt_tokens: 4 })
    const [choice] = answerOf(blocked, loose).choices as JsonObject[]
    expect(choice).to.deep.include({
      provider_finish_reason: 'OTHER',
      promptFeedback: { blockReason: 'OTHER' },
    })
  })

  it('contain log probabilities', () => {
    const choice = choiceOf({
      content: { parts: [{ text: 'é' }] },
      logprobsResult: {
        chosenCandidates: [{ token: 'é', tokenId: 1, logProbability: -0.1 }],
        topCandidates: [
          {
            candidates: [
              { token: 'é', logProbability: -0.1 },
              { token: 'e', logProbability: -2 },
            ],
          },
        ],
      },
    })
    const token = { token: 'é', logprob: -0.1, bytes: [195, 169] }
    expect(choice.logprobs).to.deep.equal({
      content: [{ ...token, top_logprobs: [token, { token: 'e', logprob: -2, bytes: [101] }] }],
      refusal: null,
    })
  })

  const grounded: Candidate = {
    content: { parts: [{ text: 'Zürich ist schön.' }] },
    finishReason: 'STOP',
    groundingMetadata: {
      groundingChunks: [
        { web: { uri: 'https://a.example', title: 'A' } },
        { web: { uri: 'https://b.example' } },
      ],
      groundingSupports: [
        { segment: { startIndex: 0, endIndex: 7, text: 'Zürich' }, groundingChunkIndices: [0, 1, 9] },
      ],
    },
    citationMetadata: { citations: [{ startIndex: 8, endIndex: 19, uri: 'https://c.example', title: 'C' }] },
  }
  const cite = (start_index: number, end_index: number, { url, title }: { url: string; title: string }) => ({
    type: 'url_citation',
    url_citation: { start_index, end_index, url, title },
  })

  it('contain sources with character positions, which the vendor counts in bytes', () => {
    expect((choiceOf(grounded).message as JsonObject).annotations).to.deep.equal([
      cite(0, 6, { url: 'https://a.example', title: 'A' }),
      cite(0, 6, { url: 'https://b.example', title: '' }),
      cite(7, 17, { url: 'https://c.example', title: 'C' }),
    ])
  })

  it("include the vendor's metadata only without strict compliance", () => {
    expect(choiceOf(grounded)).to.not.have.any.keys('groundingMetadata', 'citationMetadata')
    expect(choiceOf(grounded, loose)).to.deep.include({
      groundingMetadata: grounded.groundingMetadata,
      citationMetadata: grounded.citationMetadata,
    })
  })

  for (const body of [{}, { candidates: [] }, { candidates: 'x' }, { promptFeedback: {} }] as JsonObject[]) {
    it(`cannot be read from ${JSON.stringify(body)}`, () => {
      const error = gatewayErrorOf(() => geminiDialect.answer(body, createContext()))
      expect(error.code).to.equal('upstream_invalid_response')
    })
  }

  it('ignore unexpected members', () => {
    const odd = {
      candidates: [
        { content: { parts: [null, 1, {}, { functionCall: { args: 'x' } }, { inlineData: {} }] } },
      ],
      usageMetadata: 'none',
    }
    const answer = geminiDialect.answer(odd as unknown as JsonObject, createContext(loose))
    expect(answer.choices).to.have.length(1)
  })
})
