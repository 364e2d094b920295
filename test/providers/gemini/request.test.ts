/**
 * Chat completion requests → `generateContent` requests.
 * Source: https://ai.google.dev/api/generate-content
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { GenerateContentRequest, GenerationConfig } from '#kit/dialect/gemini/types'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { configOf, contentsOf, requestOf, user } from './fixtures/chat.ts'

const hi = { role: 'user', parts: [{ text: 'Hi' }] }

describe('Gemini requests', () => {
  it("contain only the caller's parameters", () => {
    const plain: GenerateContentRequest = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }
    expect(requestOf({})).to.deep.equal(plain)
  })

  it('contain system and developer messages from any position in the system instruction', () => {
    const request = requestOf({
      messages: [
        { role: 'system', content: 'Be brief.' },
        user,
        { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      ],
    })
    expect(request).to.deep.equal({
      contents: [hi],
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
    })
  })

  it('use the role model for the assistant, and merge messages of one role', () => {
    expect(
      contentsOf([
        user,
        { role: 'user', content: 'You?' },
        { role: 'assistant', content: 'Yes', refusal: null },
        { role: 'user', content: [{ type: 'text', text: 'Good' }] },
      ]),
    ).to.deep.equal([
      { role: 'user', parts: [{ text: 'Hi' }, { text: 'You?' }] },
      { role: 'model', parts: [{ text: 'Yes' }] },
      { role: 'user', parts: [{ text: 'Good' }] },
    ])
  })

  it('drop empty content', () => {
    expect(
      contentsOf([
        user,
        { role: 'assistant', content: '' },
        { role: 'user', content: [{ type: 'text', text: '' }] },
      ]),
    ).to.deep.equal([hi])
  })

  it('send a refusal back as text', () => {
    const content = [{ type: 'refusal', refusal: 'No.' }]
    expect(contentsOf([user, { role: 'assistant', content }])[1]).to.deep.equal({
      role: 'model',
      parts: [{ text: 'No.' }],
    })
  })

  const parameters: [string, JsonObject, GenerationConfig][] = [
    ['temperature', { temperature: 0.5 }, { temperature: 0.5 }],
    ['a temperature beyond the range', { temperature: 2.5 }, { temperature: 2 }],
    ['top_p and top_k', { top_p: 0.9, top_k: 40 }, { topP: 0.9, topK: 40 }],
    ['a seed', { seed: 7 }, { seed: 7 }],
    ['a seed of more than 32 bits', { seed: 2 ** 40 }, { seed: 2 ** 31 - 1 }],
    ['max_tokens', { max_tokens: 10 }, { maxOutputTokens: 10 }],
    ['max_completion_tokens', { max_completion_tokens: 9, max_tokens: 10 }, { maxOutputTokens: 9 }],
    ['one stop sequence', { stop: 'END' }, { stopSequences: ['END'] }],
    ['stop sequences', { stop: ['a', 'b'] }, { stopSequences: ['a', 'b'] }],
    ['one choice', { n: 1 }, {}],
    ['several choices', { n: 3 }, { candidateCount: 3 }],
    ['logprobs', { logprobs: true, top_logprobs: 5 }, { responseLogprobs: true, logprobs: 5 }],
    ['no logprobs', { logprobs: false }, {}],
    ['JSON mode', { response_format: { type: 'json_object' } }, { responseMimeType: 'application/json' }],
    ['text', { response_format: { type: 'text' } }, {}],
    [
      'images together with text',
      { modalities: ['text', 'image'] },
      { responseModalities: ['TEXT', 'IMAGE'] },
    ],
    ['text only', { modalities: ['text'] }, {}],
    [
      'what the API does not know',
      { user: 'u', logit_bias: { 1: 2 }, metadata: { a: 'b' }, store: true },
      {},
    ],
  ]
  for (const [what, given, sent] of parameters) {
    it(`contain ${what}`, () => expect(configOf(given)).to.deep.equal(sent))
  }

  it('contain a schema for the answer', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }
    const format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } }
    expect(configOf({ response_format: format })).to.deep.equal({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    })
  })

  for (const [model, isCombined] of [
    ['gemini-2.5-flash', false],
    ['gemini-3.8-flash', true],
    ['gemini-flash-latest', true],
  ] as const) {
    it(`${isCombined ? 'combine' : 'do not combine'} a schema with tools for ${model}`, () => {
      const schema = { type: 'object', properties: { a: { type: 'string' } } }
      const sent = requestOf({
        model,
        tools: [{ type: 'function', function: { name: 'f' } }],
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
      })
      expect(sent.tools).to.have.length(1)
      if (isCombined) {
        expect(sent).to.have.nested.property('generationConfig.responseMimeType', 'application/json')
        expect(sent).not.to.have.property('systemInstruction')
      } else {
        expect(sent).not.to.have.property('generationConfig')
        expect(sent)
          .to.have.nested.property('systemInstruction.parts[0].text')
          .that.contains(JSON.stringify(schema))
      }
    })
  }

  const penalties: [string, GenerationConfig][] = [
    ['gemini-2.0-flash', { presencePenalty: 0.5, frequencyPenalty: -1 }],
    ['gemini-2.5-pro', {}],
    ['gemini-3.8-flash', {}],
    ['gemini-flash-latest', {}],
    ['gemma-4-31b-it', {}],
  ]
  for (const [model, sent] of penalties) {
    it(`have ${Object.keys(sent).length} penalties for ${model}`, () => {
      expect(configOf({ model, presence_penalty: 0.5, frequency_penalty: -1 })).to.deep.equal(sent)
    })
  }

  it('contain no penalties of 0', () => {
    expect(configOf({ model: 'gemini-2.0-flash', presence_penalty: 0 })).to.deep.equal({})
  })

  it("contain the vendor's own parameters unchanged", () => {
    const safety = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]
    expect(
      requestOf({ safety_settings: safety, cached_content: 'cachedContents/1', labels: { team: 'a' } }),
    ).to.deep.include({ safetySettings: safety, cachedContent: 'cachedContents/1', labels: { team: 'a' } })
    expect(requestOf({ safetySettings: safety })).to.deep.include({ safetySettings: safety })
  })

  for (const [tier, sent] of [
    ['default', 'standard'],
    ['flex', 'flex'],
    ['priority', 'priority'],
    ['auto', undefined],
  ] as const) {
    it(`request the tier ${sent} for ${tier}`, () => {
      expect(requestOf({ service_tier: tier }).serviceTier).to.equal(sent)
    })
  }

  const refused: [string, JsonObject, string][] = [
    ['nothing to answer', { messages: [{ role: 'system', content: 'x' }] }, '/messages'],
    ['another format', { response_format: { type: 'grammar' } }, '/response_format/type'],
    [
      'a format without its schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'x' } } },
      '/response_format/json_schema/schema',
    ],
    ['audio answers', { modalities: ['text', 'audio'] }, '/modalities/1'],
    [
      'images of a system message',
      { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://x/y' } }] }] },
      '/messages/0/content/0/type',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`are refused for ${what}`, () => {
      const error = gatewayErrorOf(() => requestOf(body))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.include('google')
    })
  }
})
