/** The unified rerank call, towards the providers and back. */
import type { JsonObject } from '@gateway/contract'
import cohere from '@gateway/provider-cohere'
import compatible from '@gateway/provider-compatible'
import { type RerankRules, rerankDialect } from '@gateway/provider-kit'
import pinecone from '@gateway/provider-pinecone'
import { expect } from 'chai'
import type { RerankRequest, RerankResponse } from '#kit/dialect/cohere/types'
import { createContext } from './fixtures/context.ts'
import { gatewayErrorOf } from './fixtures/thrown.ts'

const documents = ['Paris', { text: 'Berlin', country: 'de' }]
const body: JsonObject = { model: 'rerank-1', query: 'capital of France', documents, top_n: 1 }

const providers = [...compatible, cohere, pinecone]

function dialectOf(name: string) {
  const endpoint = providers.find((provider) => provider.name === name)?.endpoints.rerank
  if (endpoint?.kind !== 'http') throw new Error(`${name} does not rerank.`)
  return endpoint.dialect
}

function answerOf(answer: JsonObject, request: JsonObject = body, rules: RerankRules = {}): JsonObject {
  const context = createContext({ endpoint: 'rerank', request, settings: { provider: 'acme' } })
  return rerankDialect(rules).answer(answer, context)
}

describe('rerank', () => {
  it('sends the unified body unchanged to a provider that supports it', () => {
    expect(rerankDialect().request(body, createContext())).to.equal(body)
  })

  it('removes only the provider prefix from the model', () => {
    const context = createContext({ settings: { provider: 'acme' } })
    const modelOf = (model: string) => rerankDialect().request({ ...body, model }, context).model
    expect([modelOf('acme/rerank-1'), modelOf('BAAI/bge-reranker')]).to.deep.equal([
      'rerank-1',
      'BAAI/bge-reranker',
    ])
  })

  const texts = ['Paris', 'Berlin']
  const sent: [string, JsonObject, JsonObject][] = [
    [
      'voyage',
      { ...body, truncation: true, priority: 1, return_documents: true },
      { top_k: 1, truncation: true, return_documents: true, documents: texts },
    ],
    [
      'jina',
      { ...body, truncation: true, max_tokens_per_document: 9, return_documents: false },
      { top_n: 1, documents: texts, return_documents: false },
    ],
    ['vllm', body, { top_n: 1, documents: texts }],
    ['together-ai', { ...body, rank_fields: ['text'] }, { top_n: 1, documents, rank_fields: ['text'] }],
    [
      'cohere',
      { ...body, max_tokens_per_document: 9, priority: 1, return_documents: true, truncation: true },
      { top_n: 1, documents: texts, max_tokens_per_doc: 9, priority: 1 } satisfies Partial<RerankRequest>,
    ],
    [
      'pinecone',
      { ...body, rank_fields: ['text', 'country'], truncation: true, priority: 1 },
      {
        top_n: 1,
        documents: [
          { id: '0', text: 'Paris' },
          { id: '1', text: 'Berlin', country: 'de' },
        ],
        rank_fields: ['text', 'country'],
        parameters: { truncate: 'END' },
        return_documents: false,
      },
    ],
    [
      'pinecone',
      {
        ...body,
        documents: [{ id: 'own', text: 'Rome' }],
        truncation: false,
        max_tokens_per_document: 9,
        parameters: { truncate: 'START' },
        return_documents: true,
      },
      {
        top_n: 1,
        documents: [{ id: 'own', text: 'Rome' }],
        parameters: { truncate: 'START', max_tokens_per_doc: 9 },
        return_documents: true,
      },
    ],
    [
      'cohere',
      { ...body, rank_fields: ['text', 'country'] },
      { top_n: 1, documents: ['Paris', 'text: Berlin\ncountry: de'] } satisfies Partial<RerankRequest>,
    ],
    ['voyage', { ...body, rank_fields: ['country'] }, { top_k: 1, documents: ['Paris', 'de'] }],
  ]
  for (const [name, given, rest] of sent) {
    it(`writes the body for ${name}: ${Object.keys(given)}`, () => {
      const request = dialectOf(name).request(given, createContext({ settings: { provider: name } }))
      expect(request).to.deep.equal({ model: 'rerank-1', query: 'capital of France', ...rest })
    })
  }

  it('sorts by score, in one format', () => {
    const answer = answerOf({
      id: 'r1',
      model: 'rerank-1',
      results: [
        { index: 1, relevance_score: 0.1 },
        { index: 0, relevance_score: 0.9 },
      ],
      usage: { total_tokens: 12, search_units: 1 },
    })
    expect(answer).to.deep.equal({
      object: 'list',
      id: 'r1',
      model: 'rerank-1',
      provider: 'acme',
      usage: { total_tokens: 12, search_units: 1 },
      results: [
        { index: 0, relevance_score: 0.9 },
        { index: 1, relevance_score: 0.1 },
      ],
    })
  })

  it('parses the formats of other services: data, score, no id, no search units', () => {
    const answer = answerOf({ data: [{ index: 1, score: 0.5 }], usage: { total_tokens: 3 } })
    expect(answer).to.deep.include({
      id: 'rerank-1',
      model: 'rerank-1',
      usage: { total_tokens: 3, search_units: 0 },
    })
    expect(answer.results).to.deep.equal([{ index: 1, relevance_score: 0.5 }])
  })

  const units: [string, JsonObject, number][] = [
    ['cohere', { results: [], meta: { billed_units: { search_units: 2 } } } satisfies RerankResponse, 2],
    ['pinecone', { data: [], usage: { rerank_units: 3 } }, 3],
    ['jina', { results: [], usage: { total_tokens: 9 } }, 0],
    ['voyage', { data: [], usage: { total_tokens: 9 } }, 0],
    ['cohere', { results: [], meta: null }, 0],
  ]
  for (const [name, answer, expected] of units) {
    it(`reports ${expected} search units for ${name}`, () => {
      const { usage } = dialectOf(name).answer(answer, createContext({ request: body }))
      expect(usage).to.include({ search_units: expected })
    })
  }

  const echoes: [string, JsonObject, JsonObject][] = [
    ['an echoed object', { index: 1, relevance_score: 1, document: { text: 'Berlin' } }, { text: 'Berlin' }],
    ['an echoed text', { index: 1, relevance_score: 1, document: 'Berlin' }, { text: 'Berlin' }],
    ['no echo, from the request', { index: 0, relevance_score: 1 }, { text: 'Paris' }],
    [
      'no echo, an object of the request',
      { index: 1, relevance_score: 1 },
      { text: 'Berlin', country: 'de' },
    ],
  ]
  for (const [what, result, document] of echoes) {
    it(`returns the document on request: ${what}`, () => {
      const asked = answerOf({ results: [result] }, { ...body, return_documents: true })
      const unasked = answerOf({ results: [result] })
      expect(asked.results).to.deep.equal([{ index: result.index, relevance_score: 1, document }])
      expect(unasked.results).to.deep.equal([{ index: result.index, relevance_score: 1 }])
    })
  }

  it('returns the given document when the echoed one has a generated id', () => {
    const row = { index: 0, score: 1, document: { id: '0', text: 'Paris' } }
    const answer = answerOf(
      { data: [row] },
      { ...body, return_documents: true },
      { documentsAsRecords: true },
    )
    expect(answer.results).to.deep.equal([{ index: 0, relevance_score: 1, document: { text: 'Paris' } }])
  })

  it('refuses an answer without results', () => {
    expect(gatewayErrorOf(() => answerOf({ ok: true })).code).to.equal('upstream_invalid_response')
  })
})
