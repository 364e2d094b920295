/**
 * The host and path of a model's call. Source:
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/use-partner-models
 */
import type { EndpointId, HttpEndpoint, JsonObject, ProviderSettings } from '@gateway/contract'
import vertex from '@gateway/provider-vertex-ai'
import { expect } from 'chai'
import { gatewayErrorOf } from '../fixtures/thrown.ts'

const settings: ProviderSettings = {
  provider: 'vertex-ai',
  cloudC_project_id: 'my-project',
  cloudC_region: 'us-central1',
}
const location = '/projects/my-project/locations/us-central1'

function baseUrlOf(given: Partial<ProviderSettings>): string {
  if (typeof vertex.baseUrl !== 'function') throw new Error('not a function')
  return vertex.baseUrl({ provider: 'vertex-ai', ...given })
}

function endpointOf(endpoint: EndpointId, body: JsonObject): HttpEndpoint {
  const declared = vertex.endpoints[endpoint]
  const chosen = declared?.kind === 'choice' ? declared.choose(body, settings) : declared
  if (chosen?.kind !== 'http') throw new Error('not an HTTP endpoint')
  return chosen
}

function pathOf(endpoint: EndpointId, body: JsonObject, given = settings): string {
  const { path } = endpointOf(endpoint, body)
  return typeof path === 'string' ? path : path(body, given)
}

describe('Vertex AI addresses', () => {
  const regions: [string, string][] = [
    ['us-central1', 'https://us-central1-aiplatform.googleapis.com/v1'],
    ['global', 'https://aiplatform.googleapis.com/v1'],
    ['us', 'https://aiplatform.us.rep.googleapis.com/v1'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1'],
  ]
  for (const [region, url] of regions) {
    it(`for the region ${region} are at ${url}`, () => {
      expect(baseUrlOf({ cloudC_region: region })).to.equal(url)
      expect(baseUrlOf({ configurations: { vertex_region: region } })).to.equal(url)
    })
  }

  for (const region of [undefined, '', 'evil.example/', 'a.b', 'US', 'x@y', '1a']) {
    it(`require a valid region, unlike ${JSON.stringify(region)}`, () => {
      const given = region === undefined ? {} : { cloudC_region: region }
      expect(gatewayErrorOf(() => baseUrlOf(given))).to.include({
        code: 'invalid_config',
        param: 'cloudC_region',
      })
    })
  }

  const projects: [string, Partial<ProviderSettings>, string][] = [
    ['the settings', { cloudC_project_id: 'a', cloudC_service_account_json: { project_id: 'b' } }, 'a'],
    ['the service account', { cloudC_service_account_json: { project_id: 'b' } }, 'b'],
    ['the stored credential', { configurations: { vertex_project_id: 'c' } }, 'c'],
    [
      "the stored credential's service account",
      { configurations: { vertex_service_account_json: { project_id: 'd' } } },
      'd',
    ],
    ['an organisation', { cloudC_project_id: 'example.com:e' }, 'example.com%3Ae'],
  ]
  for (const [where, given, project] of projects) {
    it(`take the project from ${where}`, () => {
      const path = pathOf(
        'chatComplete',
        { model: 'gemini-2.5-pro' },
        {
          provider: 'vertex-ai',
          cloudC_region: 'eu',
          ...given,
        },
      )
      expect(path).to.equal(
        `/projects/${project}/locations/eu/publishers/google/models/gemini-2.5-pro:generateContent`,
      )
    })
  }

  for (const given of [{}, { cloudC_project_id: 'a/../b' }]) {
    it(`require a project: ${JSON.stringify(given)}`, () => {
      const run = () =>
        pathOf('chatComplete', { model: 'm' }, { provider: 'vertex-ai', cloudC_region: 'eu', ...given })
      expect(gatewayErrorOf(run)).to.include({ code: 'invalid_config', param: 'cloudC_project_id' })
    })
  }

  const chats: [string, string, string?][] = [
    ['gemini-2.5-pro', '/publishers/google/models/gemini-2.5-pro:generateContent'],
    ['google/gemini-2.5-pro', '/publishers/google/models/gemini-2.5-pro:generateContent'],
    ['publishers/google/models/gemini-2.5-pro', '/publishers/google/models/gemini-2.5-pro:generateContent'],
    ['google/endpoints/42', '/endpoints/42:generateContent'],
    [
      'anthropic/claude-sonnet-4-5@20250929',
      '/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict',
    ],
    ['anthropic.claude-opus-4-8', '/publishers/anthropic/models/claude-opus-4-8:rawPredict'],
    ['claude-opus-4-8', '/publishers/anthropic/models/claude-opus-4-8:rawPredict'],
    ['mistralai/mistral-medium-3', '/publishers/mistralai/models/mistral-medium-3:rawPredict'],
    ['codestral-2', '/publishers/mistralai/models/codestral-2:rawPredict'],
    ['meta/llama-3.3-70b-instruct-maas', '/endpoints/openapi/chat/completions'],
    ['meta.llama-3.3-70b-instruct-maas', '/endpoints/openapi/chat/completions'],
    ['deepseek-ai/deepseek-v3.1-maas', '/endpoints/openapi/chat/completions'],
    ['endpoints/1234', '/endpoints/1234/chat/completions'],
    ['endpoints.1234', '/endpoints/1234/chat/completions'],
  ]
  for (const [model, path] of chats) {
    it(`of ${model} are ${path}`, () => {
      expect(pathOf('chatComplete', { model })).to.equal(location + path)
    })
  }

  const streams: [string, string][] = [
    ['gemini-2.5-pro', '/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse'],
    ['claude-opus-4-8', '/publishers/anthropic/models/claude-opus-4-8:streamRawPredict'],
    ['mistral-medium-3', '/publishers/mistralai/models/mistral-medium-3:streamRawPredict'],
    ['meta/x', '/endpoints/openapi/chat/completions'],
  ]
  for (const [model, path] of streams) {
    it(`of a stream of ${model} are ${path}`, () => {
      expect(pathOf('chatComplete', { model, stream: true })).to.equal(location + path)
    })
  }

  const others: [EndpointId, JsonObject, string][] = [
    [
      'embed',
      { model: 'text-embedding-005', input: ['a', 'b'] },
      '/publishers/google/models/text-embedding-005:predict',
    ],
    [
      'embed',
      { model: 'gemini-embedding-001', input: 'a' },
      '/publishers/google/models/gemini-embedding-001:predict',
    ],
    [
      'embed',
      { model: 'gemini-embedding-2', input: ['a'] },
      '/publishers/google/models/gemini-embedding-2:embedContent',
    ],
    [
      'imageGenerate',
      { model: 'imagen-4.0-generate-001' },
      '/publishers/google/models/imagen-4.0-generate-001:predict',
    ],
    [
      'imageGenerate',
      { model: 'gemini-3-pro-image' },
      '/publishers/google/models/gemini-3-pro-image:generateContent',
    ],
    [
      'messages',
      { model: 'claude-opus-4-8', stream: true },
      '/publishers/anthropic/models/claude-opus-4-8:streamRawPredict',
    ],
    ['countTokens', { model: 'claude-opus-4-8' }, '/publishers/anthropic/models/count-tokens:rawPredict'],
  ]
  for (const [endpoint, body, path] of others) {
    it(`of ${endpoint} with ${String(body.model)} are ${path}`, () => {
      expect(pathOf(endpoint, body)).to.equal(location + path)
    })
  }

  const missing: [EndpointId, string][] = [
    ['embed', 'anthropic/claude-opus-4-8'],
    ['imageGenerate', 'meta/llama'],
    ['messages', 'gemini-2.5-pro'],
    ['countTokens', 'mistral-medium-3'],
  ]
  for (const [endpoint, model] of missing) {
    it(`do not exist for ${endpoint} with ${model}`, () => {
      expect(gatewayErrorOf(() => endpointOf(endpoint, { model })).code).to.equal('unsupported_endpoint')
    })
  }

  it("use the base model's publisher for a custom model name", () => {
    const declared = vertex.endpoints.chatComplete
    if (declared?.kind !== 'choice') throw new Error('no choice')
    const pathFor = (model: string, base: string) => {
      const chosen = declared.choose({ model }, settings, base)
      if (chosen.kind !== 'http') throw new Error('not an HTTP endpoint')
      return typeof chosen.path === 'string' ? chosen.path : chosen.path({ model }, settings)
    }
    expect(pathFor('house', 'claude-opus-4-8')).to.equal(
      `${location}/publishers/anthropic/models/house:rawPredict`,
    )
    expect(pathFor('google/endpoints/7', 'claude-opus-4-8')).to.equal(
      pathOf('chatComplete', { model: 'google/endpoints/7' }),
    )
  })

  it('cannot be changed by a model name', () => {
    for (const model of ['../../x', 'google/../x', 'meta/..']) {
      const error = () => {
        const path = pathOf('chatComplete', { model })
        if (!path.includes('..')) throw new TypeError(path)
      }
      expect(error).to.throw()
    }
    expect(pathOf('chatComplete', { model: 'a:predict?x=#' })).to.equal(
      `${location}/publishers/google/models/a%3Apredict%3Fx%3D%23:generateContent`,
    )
  })

  it('require a model for images', () => {
    const error = gatewayErrorOf(() => endpointOf('imageGenerate', { prompt: 'x' }))
    expect(error).to.include({ code: 'invalid_body', param: '/model' })
  })
})
