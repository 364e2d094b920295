/** The catalogue of compatible providers, and providers that a config file declares. */
import { type EndpointId, inferenceEndpoints, type JsonObject, type ProviderAdapter } from '@gateway/contract'
import anthropic from '@gateway/provider-anthropic'
import compatible, { customProvider } from '@gateway/provider-compatible'
import openai from '@gateway/provider-openai'
import { expect } from 'chai'
import { imageAnswerOf, imageRequestOf } from './fixtures/adapters.ts'
import { createContext, createdAt, createIo } from './fixtures/context.ts'
import { gatewayErrorOf } from './fixtures/thrown.ts'

const all: readonly ProviderAdapter[] = [...compatible, openai, anthropic]

const named = (name: string): ProviderAdapter => {
  const adapter = all.find((each) => each.name === name)
  if (adapter === undefined) throw new Error(`no ${name}`)
  return adapter
}

function httpEndpoint(adapter: ProviderAdapter, endpoint: EndpointId) {
  const served = adapter.endpoints[endpoint]
  if (served?.kind !== 'http') throw new Error(`${adapter.name} has no ${endpoint} over HTTP`)
  return served
}

function urlOf(adapter: ProviderAdapter, endpoint: EndpointId): string {
  const { path } = httpEndpoint(adapter, endpoint)
  return `${String(adapter.baseUrl)}${typeof path === 'string' ? path : path({}, { provider: adapter.name })}`
}

function requestOf(
  name: string,
  endpoint: EndpointId,
  { body, strict = false }: { body: JsonObject; strict?: boolean },
): JsonObject {
  const settings = { provider: name }
  return httpEndpoint(named(name), endpoint).dialect.request(
    body,
    createContext({ endpoint, settings, strict }),
  )
}

describe('the catalogue of providers', () => {
  it('contains each provider once', () => {
    const names = all.map((adapter) => adapter.name)
    expect(names).to.deep.equal([...new Set(names)])
  })

  for (const adapter of all) {
    it(`${adapter.name} has an https base URL without a trailing slash, a reference and an endpoint`, () => {
      expect(adapter.docs).to.match(/^https:\/\/[\x21-\x7e]+$/)
      expect(Object.keys(adapter.endpoints)).to.not.be.empty
      if (adapter.baseUrl !== null) expect(String(adapter.baseUrl)).to.match(/^https:\/\/.*[^/]$/)
    })
  }

  const urls: [string, EndpointId, string][] = [
    ['openai', 'chatComplete', 'https://api.openai.com/v1/chat/completions'],
    ['openai', 'complete', 'https://api.openai.com/v1/completions'],
    ['openai', 'embed', 'https://api.openai.com/v1/embeddings'],
    ['openai', 'imageGenerate', 'https://api.openai.com/v1/images/generations'],
    ['anthropic', 'chatComplete', 'https://api.anthropic.com/v1/messages'],
    ['groq', 'chatComplete', 'https://api.groq.com/openai/v1/chat/completions'],
    ['perplexity-ai', 'chatComplete', 'https://api.perplexity.ai/chat/completions'],
    ['zhipu', 'embed', 'https://open.bigmodel.cn/api/paas/v4/embeddings'],
    ['voyage', 'rerank', 'https://api.voyageai.com/v1/rerank'],
    ['mistral-ai', 'complete', 'https://api.mistral.ai/v1/fim/completions'],
    ['deepseek', 'complete', 'https://api.deepseek.com/beta/completions'],
    ['hyperbolic', 'imageGenerate', 'https://api.hyperbolic.xyz/v1/image/generation'],
    ['krutrim', 'chatComplete', 'https://cloud.olakrutrim.com/v1/chat/completions'],
  ]
  for (const [name, endpoint, url] of urls) {
    it(`calls ${url}`, () => expect(urlOf(named(name), endpoint)).to.equal(url))
  }

  it('does not offer text completions for Anthropic', () => {
    expect(anthropic.endpoints).to.not.have.property('complete')
  })

  it('has no default address for self-hosted servers, and requires no key', () => {
    const { baseUrl, credential } = named('vllm')
    expect([baseUrl, credential]).to.deep.equal([null, 'optional'])
  })

  const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
  const requests: [what: string, name: string, endpoint: EndpointId, given: JsonObject, sent: JsonObject][] =
    [
      [
        "Mistral's names",
        'mistral-ai',
        'chatComplete',
        { ...chat, seed: 1, max_completion_tokens: 5, user: 'u', safe_prompt: true, temperature: 2 },
        { ...chat, random_seed: 1, max_tokens: 5, safe_prompt: true, temperature: 1.5 },
      ],
      [
        "Mistral's completion of the middle",
        'mistral-ai',
        'complete',
        { model: 'm', prompt: 'a =', suffix: 'b', seed: 1, n: 1, echo: false },
        { model: 'm', prompt: 'a =', suffix: 'b', random_seed: 1 },
      ],
      [
        'messages without what Groq refuses',
        'groq',
        'chatComplete',
        {
          model: 'm',
          logprobs: true,
          messages: [{ role: 'assistant', content: 'x', name: 'a', refusal: null }],
        },
        { model: 'm', messages: [{ role: 'assistant', content: 'x' }] },
      ],
      [
        "thinking in DeepSeek's form, which is the unified one",
        'deepseek',
        'chatComplete',
        { ...chat, user: 'u', max_completion_tokens: 5, thinking: { type: 'disabled' } },
        { ...chat, max_tokens: 5, thinking: { type: 'disabled' } },
      ],
      [
        "thinking under Qwen's names",
        'dashscope',
        'chatComplete',
        { ...chat, thinking: { type: 'enabled', budget_tokens: 7 }, enable_search: true },
        { ...chat, enable_thinking: true, thinking_budget: 7, enable_search: true },
      ],
      [
        "thinking as OpenRouter's reasoning",
        'openrouter',
        'chatComplete',
        { ...chat, thinking: { type: 'enabled', budget_tokens: 7 }, provider: { sort: 'price' } },
        { ...chat, reasoning: { enabled: true, max_tokens: 7 }, provider: { sort: 'price' } },
      ],
      [
        'a temperature that GLM takes',
        'z-ai',
        'chatComplete',
        { ...chat, temperature: 1.4, user: 'u' },
        { ...chat, temperature: 1 },
      ],
      [
        'instructions as a system message',
        'moonshot',
        'chatComplete',
        { model: 'm', messages: [{ role: 'developer', content: 'x' }] },
        { model: 'm', messages: [{ role: 'system', content: 'x' }] },
      ],
    ]
  for (const [what, name, endpoint, given, sent] of requests) {
    it(`sends ${what}`, () => expect(requestOf(name, endpoint, { body: given })).to.deep.equal(sent))
  }

  const refused: [name: string, endpoint: EndpointId, given: JsonObject, param: string][] = [
    ['perplexity-ai', 'chatComplete', { ...chat, tools: [{ type: 'function' }] }, '/tools'],
    ['zhipu', 'chatComplete', { ...chat, n: 2 }, '/n'],
    ['mistral-ai', 'complete', { model: 'm', prompt: 'x', echo: true }, '/echo'],
    ['fireworks-ai', 'imageGenerate', { model: 'm', prompt: 'x', n: 3 }, '/n'],
  ]
  for (const [name, endpoint, given, param] of refused) {
    it(`refuses ${param} for ${name}, which would otherwise have another meaning`, () => {
      const error = gatewayErrorOf(() => requestOf(name, endpoint, { body: given }))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.include(name)
    })
  }

  const image = {
    model: 'm',
    prompt: 'a fox',
    size: '1024x768',
    n: 1,
    response_format: 'b64_json',
    quality: 'hd',
  }
  const images: [name: string, sent: JsonObject][] = [
    ['hyperbolic', { model_name: 'm', prompt: 'a fox', width: 1024, height: 768, n: 1 }],
    ['siliconflow', { model: 'm', prompt: 'a fox', image_size: '1024x768', batch_size: 1 }],
    [
      'together-ai',
      { model: 'm', prompt: 'a fox', width: 1024, height: 768, n: 1, response_format: 'base64' },
    ],
    ['nebius', { model: 'm', prompt: 'a fox', width: 1024, height: 768, n: 1, response_format: 'b64_json' }],
    ['nscale', { model: 'm', prompt: 'a fox', size: '1024x768', n: 1 }],
    [
      'x-ai',
      { model: 'm', prompt: 'a fox', aspect_ratio: '4:3', n: 1, response_format: 'b64_json', quality: 'hd' },
    ],
    ['fireworks-ai', { prompt: 'a fox', aspect_ratio: '4:3' }],
  ]
  for (const [name, sent] of images) {
    it(`translates an image request for ${name}`, () => {
      expect(imageRequestOf(named(name), image).body).to.deep.equal(sent)
    })
  }

  it('calls the workflow of a Fireworks model, by its short and its full name', () => {
    const paths = ['flux-1-schnell-fp8', 'accounts/fireworks/models/flux-1-schnell-fp8'].map(
      (model) => imageRequestOf(named('fireworks-ai'), { model, prompt: 'x' }).path,
    )
    const path = '/workflows/accounts/fireworks/models/flux-1-schnell-fp8/text_to_image'
    expect(paths).to.deep.equal([path, path])
  })

  it('reads Fireworks images as bytes and as data URLs', () => {
    for (const answer of [{ images: ['iVBORw=='] }, { base64: ['data:image/png;base64,iVBORw=='] }]) {
      const { created, data } = imageAnswerOf(named('fireworks-ai'), answer, {
        request: { response_format: 'b64_json' },
      })
      expect([created, data]).to.deep.equal([createdAt, [{ b64_json: 'iVBORw==' }]])
    }
  })
})

describe('the generated notes on a compatible provider', () => {
  it('list parameters that are dropped, from its rules', () => {
    const { drops } = named('groq').notes ?? {}
    expect(drops?.chatComplete).to.include.members(['logprobs', 'logit_bias', 'messages[].name'])
    expect(named('fireworks-ai').notes?.drops).to.have.keys('imageGenerate')
  })

  it('list limited, renamed, refused and other parameters', () => {
    const remarks = (name: string) => (named(name).notes?.remarks ?? []).join('\n')
    expect(remarks('mistral-ai'))
      .to.include('`temperature` to 0…1.5')
      .and.include('`seed` as `random_seed`')
      .and.include('`echo` other than `false`')
      .and.include('`chatComplete` also accepts: `safe_prompt`')
    expect(remarks('x-ai')).to.include('`size` as the nearest `aspect_ratio`')
    expect(remarks('openrouter')).to.include('X-Title')
  })

  it('are empty for a provider without rules', () => {
    expect(openai.notes?.drops ?? {}).to.deep.equal({})
  })
})

describe('a provider in the config file', () => {
  const row = {
    name: 'acme',
    base_url: 'https://api.acme.example/v1/',
    endpoints: ['chatComplete', 'rerank'],
  }
  const acme = customProvider(row)

  it('has the endpoints that it lists, below its base URL', () => {
    expect(acme.endpoints).to.have.all.keys('chatComplete', 'rerank')
    expect(urlOf(acme, 'rerank')).to.equal('https://api.acme.example/v1/rerank')
  })

  it('can have every inference endpoint', () => {
    const full = customProvider({ ...row, endpoints: [...inferenceEndpoints] })
    expect(Object.keys(full.endpoints)).to.deep.equal([...inferenceEndpoints])
  })

  it('works with and without a key', async () => {
    const request = { method: 'POST', url: 'https://api.acme.example/v1', headers: {}, body: null } as const
    expect(acme.credential).to.equal('optional')
    expect((await acme.auth(request, { provider: 'acme' }, createIo())).headers).to.deep.equal({})
    expect((await acme.auth(request, { provider: 'acme', api_key: 'k' }, createIo())).headers).to.deep.equal({
      authorization: 'Bearer k',
    })
  })
})
