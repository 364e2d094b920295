/**
 * The requests to the publishers' models: the body's version for Claude, the model names of each endpoint. Source:
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/mistral
 */
import type { EndpointId, HttpEndpoint, JsonObject, ProviderSettings } from '@gateway/contract'
import vertex from '@gateway/provider-vertex-ai'
import { expect } from 'chai'
import { createContext } from '../fixtures/context.ts'

const settings: ProviderSettings = { provider: 'vertex-ai', cloudC_project_id: 'p', cloudC_region: 'eu' }
const messages = [{ role: 'user', content: 'Hi' }]

function endpointOf(endpoint: EndpointId, body: JsonObject): HttpEndpoint {
  const declared = vertex.endpoints[endpoint]
  const chosen = declared?.kind === 'choice' ? declared.choose(body, settings) : declared
  if (chosen?.kind !== 'http') throw new Error('not an HTTP endpoint')
  return chosen
}

function sentOf(endpoint: EndpointId, body: JsonObject): JsonObject {
  return endpointOf(endpoint, body).dialect.request(
    body,
    createContext({ settings, endpoint, request: body }),
  )
}

describe('Vertex AI bodies', () => {
  it('of Claude contain the version and no model', () => {
    const model = 'anthropic/claude-sonnet-4-5@20250929'
    expect(sentOf('chatComplete', { model, messages, max_tokens: 5, stream: true })).to.deep.equal({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 5,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stream: true,
    })
  })

  it('of native messages are forwarded with the version and without the model', () => {
    const body = { model: 'claude-opus-4-8', max_tokens: 5, messages, thinking: { type: 'adaptive' } }
    const { model: _, ...rest } = body
    expect(sentOf('messages', body)).to.deep.equal({ ...rest, anthropic_version: 'vertex-2023-10-16' })
    expect(endpointOf('messages', body).passes).to.deep.equal(['anthropic-beta'])
  })

  it('of a token count keep the model, without its publisher', () => {
    const body = { model: 'anthropic/claude-opus-4-8', messages }
    expect(sentOf('countTokens', body)).to.deep.equal({ model: 'claude-opus-4-8', messages })
  })

  it('of Claude contain media as bytes, which are fetched first', () => {
    expect(endpointOf('chatComplete', { model: 'claude-opus-4-8' }).prepare).to.be.a('function')
  })

  const compatible: [string, JsonObject, JsonObject][] = [
    [
      'mistralai/mistral-medium-3',
      { seed: 1, max_completion_tokens: 5, user: 'u', stream: true, stream_options: { include_usage: true } },
      { model: 'mistral-medium-3', messages, random_seed: 1, max_tokens: 5, stream: true },
    ],
    [
      'meta.llama-3.3-70b-instruct-maas',
      { seed: 1 },
      { model: 'meta/llama-3.3-70b-instruct-maas', messages, seed: 1 },
    ],
    ['qwen/qwen3-maas', {}, { model: 'qwen/qwen3-maas', messages }],
    ['endpoints/1234', {}, { model: '', messages }],
  ]
  for (const [model, given, sent] of compatible) {
    it(`of ${model} use the compatible format`, () => {
      expect(sentOf('chatComplete', { model, messages, ...given })).to.deep.equal(sent)
    })
  }

  it('of Gemini contain no model', () => {
    expect(sentOf('chatComplete', { model: 'google/gemini-2.5-pro', messages })).to.deep.equal({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    })
  })
})
