/**
 * Hugging Face: addresses of chats, texts and models at the router and at the caller's own servers. Sources:
 * https://huggingface.co/docs/inference-providers/tasks/chat-completion,
 * https://github.com/huggingface/huggingface.js (the vendor's client: paths of text completions, who is billed)
 */
import type { EndpointId, HttpEndpoint, JsonObject, ProviderSettings } from '@gateway/contract'
import adapter from '@gateway/provider-huggingface'
import { expect } from 'chai'
import { createContext, createIo } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'

function endpointOf(id: EndpointId): HttpEndpoint {
  const endpoint = adapter.endpoints[id]
  if (endpoint?.kind !== 'http') throw new Error(`no ${id}`)
  return endpoint
}

function urlOf(id: EndpointId, body: JsonObject, more: Partial<ProviderSettings> = {}): string {
  const settings: ProviderSettings = { provider: 'huggingface', ...more }
  const { path } = endpointOf(id)
  const base = typeof adapter.baseUrl === 'function' ? adapter.baseUrl(settings) : adapter.baseUrl
  return `${more.custom_host ?? base}${typeof path === 'string' ? path : path(body, settings)}`
}

const router = 'https://router.huggingface.co'
const own = { custom_host: 'http://127.0.0.1:9/v1' }
const stored = { configurations: { huggingface_base_url: 'http://127.0.0.1:9/v1/' } }

describe('Hugging Face addresses', () => {
  const addresses: [string, EndpointId, unknown, Partial<ProviderSettings>, string][] = [
    ['a chat', 'chatComplete', 'org/m', {}, `${router}/v1/chat/completions`],
    ['a chat of a provider', 'chatComplete', 'org/m:groq', {}, `${router}/v1/chat/completions`],
    ['a chat of a custom host', 'chatComplete', 'org/m', own, 'http://127.0.0.1:9/v1/chat/completions'],
    ['a chat of a stored address', 'chatComplete', 'org/m', stored, 'http://127.0.0.1:9/v1/chat/completions'],
    ['a text', 'complete', 'org/m', {}, `${router}/hf-inference/models/org/m/v1/completions`],
    ['a text of a provider', 'complete', 'org/m:together', {}, `${router}/together/v1/completions`],
    ['a text of a custom host', 'complete', 'org/m:x', own, 'http://127.0.0.1:9/v1/completions'],
    ['the models', 'listModels', undefined, {}, `${router}/v1/models`],
    ['the models of a custom host', 'listModels', undefined, own, 'http://127.0.0.1:9/v1/models'],
  ]
  for (const [what, id, model, more, url] of addresses) {
    it(`are correct for ${what}`, () => expect(urlOf(id, { model } as JsonObject, more)).to.equal(url))
  }

  for (const model of ['org/m:fastest', 'org/m:..', '../m', undefined]) {
    it(`are refused for a text completion of ${String(model)}`, () => {
      const error = gatewayErrorOf(() => urlOf('complete', { model } as JsonObject))
      expect(error).to.include({ code: 'invalid_body', param: '/model' })
    })
  }
})

describe('Hugging Face calls', () => {
  const sent = (id: EndpointId, model: string, more: Partial<ProviderSettings> = {}) => {
    const body: JsonObject = { model, prompt: 'P' }
    const settings = { provider: 'huggingface', ...more }
    return endpointOf(id).dialect.request(body, createContext({ endpoint: id, settings, request: body }))
      .model
  }
  it('contain the inference provider in the model name for chat, and in the path for text completions', () => {
    expect(sent('chatComplete', 'org/m:groq')).to.equal('org/m:groq')
    expect(sent('complete', 'org/m:groq')).to.equal('org/m')
    expect(sent('complete', 'org/m')).to.equal('org/m')
    expect(sent('complete', 'org/m:groq', own)).to.equal('org/m:groq')
  })

  it('can be billed to an organisation', async () => {
    const request = { method: 'POST', url: router, headers: {}, body: '{}' } as const
    const settings = { provider: 'huggingface', api_key: 'hf_1', compat_organization: 'org' }
    expect((await adapter.auth(request, settings, createIo())).headers).to.deep.equal({
      authorization: 'Bearer hf_1',
      'x-hf-bill-to': 'org',
    })
  })
})
