/** The catalogue of compatible providers, and providers that a config file declares. */
import { type EndpointId, inferenceEndpoints, type ProviderAdapter } from '@gateway/core/contract'
import anthropic from '@gateway/provider-anthropic'
import compatible, { customProvider } from '@gateway/provider-compatible'
import openai from '@gateway/provider-openai'
import { expect } from 'chai'
import { createContext, createIo } from './fixtures/context.ts'

const all: readonly ProviderAdapter[] = [...compatible, openai, anthropic]

function urlOf(adapter: ProviderAdapter, endpoint: EndpointId): string {
  const { baseUrl, endpoints } = adapter
  const served = endpoints[endpoint]
  if (served?.kind !== 'http' || typeof served.path !== 'string') throw new Error('not an HTTP endpoint')
  return `${String(baseUrl)}${served.path}`
}

const named = (name: string): ProviderAdapter => {
  const adapter = all.find((each) => each.name === name)
  if (adapter === undefined) throw new Error(`no ${name}`)
  return adapter
}

describe('the catalogue of providers', () => {
  it('names each provider once', () => {
    const names = all.map((adapter) => adapter.name)
    expect(names).to.deep.equal([...new Set(names)])
  })

  for (const adapter of all) {
    it(`${adapter.name} has an https base URL without a trailing slash, a reference and an endpoint`, () => {
      expect(adapter.docs).to.match(/^https:\/\//)
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
  ]
  for (const [name, endpoint, url] of urls) {
    it(`calls ${url}`, () => expect(urlOf(named(name), endpoint)).to.equal(url))
  }

  it('does not offer text completions of Anthropic', () => {
    expect(anthropic.endpoints).to.have.all.keys('chatComplete')
  })

  it('knows no address of servers that people run themselves, and asks for no key', () => {
    const local = ['ollama', 'vllm'].map((name) => {
      const { baseUrl, credential } = named(name)
      return { baseUrl, credential }
    })
    expect(local).to.deep.equal([
      { baseUrl: null, credential: 'none' },
      { baseUrl: null, credential: 'optional' },
    ])
  })

  it('drops a key that is given for Ollama', async () => {
    const request = { method: 'POST', url: 'http://host/v1', headers: {}, body: null } as const
    const sent = await named('ollama').auth(request, { provider: 'ollama', api_key: 'sk-x' }, createIo())
    expect(sent.headers).to.deep.equal({})
  })

  it("writes Mistral's names", () => {
    const endpoint = named('mistral-ai').endpoints.chatComplete
    if (endpoint?.kind !== 'http') throw new Error('not HTTP')
    const body = { model: 'm', messages: [], seed: 1, max_completion_tokens: 5, user: 'u', safe_prompt: true }
    expect(endpoint.dialect.request(body, createContext())).to.deep.equal({
      model: 'm',
      messages: [],
      random_seed: 1,
      max_tokens: 5,
      safe_prompt: true,
    })
  })
})

describe('a provider of the config file', () => {
  const row = {
    name: 'acme',
    base_url: 'https://api.acme.example/v1/',
    endpoints: ['chatComplete', 'rerank'],
  }
  const acme = customProvider(row)

  it('has the endpoints that it names, below its address', () => {
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
