/**
 * Embeddings of the Gemini API and of the cloud's predictions.
 * Source: https://ai.google.dev/api/embeddings,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
 */
import type { Dialect, JsonObject } from '@gateway/contract'
import { batchEmbedDialect, embedContentDialect, predictEmbedDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createContext } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'

const model = 'gemini-embedding-001'
const options = { dimensions: 3, task_type: 'RETRIEVAL_QUERY', title: 'T', user: 'u' }

const requests: [string, Dialect, JsonObject, JsonObject][] = [
  [
    'several texts at once',
    batchEmbedDialect,
    { model, input: ['a', 'b'] },
    {
      requests: [
        { model: 'models/gemini-embedding-001', content: { parts: [{ text: 'a' }] } },
        { model: 'models/gemini-embedding-001', content: { parts: [{ text: 'b' }] } },
      ],
    },
  ],
  [
    'one text with parameters',
    batchEmbedDialect,
    { model: 'models/x', input: 'a', ...options },
    {
      requests: [
        {
          model: 'models/x',
          content: { parts: [{ text: 'a' }] },
          outputDimensionality: 3,
          taskType: 'RETRIEVAL_QUERY',
          title: 'T',
        },
      ],
    },
  ],
  [
    'one text to a model that takes one',
    embedContentDialect,
    { model, input: ['a'], dimensions: 3 },
    { content: { parts: [{ text: 'a' }] }, outputDimensionality: 3 },
  ],
  [
    'a prediction',
    predictEmbedDialect,
    { model, input: ['a', 'b'], ...options, auto_truncate: false },
    {
      instances: [
        { content: 'a', task_type: 'RETRIEVAL_QUERY', title: 'T' },
        { content: 'b', task_type: 'RETRIEVAL_QUERY', title: 'T' },
      ],
      parameters: { outputDimensionality: 3, autoTruncate: false },
    },
  ],
  ['a plain prediction', predictEmbedDialect, { model, input: 'a' }, { instances: [{ content: 'a' }] }],
]

const answers: [string, Dialect, JsonObject, number[][], number][] = [
  [
    'a batch',
    batchEmbedDialect,
    { embeddings: [{ values: [0.5, 1] }, { values: [0, -1] }], usageMetadata: { promptTokenCount: 4 } },
    [
      [0.5, 1],
      [0, -1],
    ],
    4,
  ],
  ['a batch that counts nothing', batchEmbedDialect, { embeddings: [{ values: [1] }] }, [[1]], 0],
  ['one content', embedContentDialect, { embedding: { values: [0.5] } }, [[0.5]], 0],
  [
    'a prediction',
    predictEmbedDialect,
    {
      predictions: [
        { embeddings: { values: [1], statistics: { token_count: 2, truncated: false } } },
        { embeddings: { values: [2], statistics: { token_count: 3, truncated: false } } },
      ],
    },
    [[1], [2]],
    5,
  ],
]

describe('Gemini embeddings', () => {
  for (const [what, dialect, body, sent] of requests) {
    it(`request ${what}`, () => {
      expect(dialect.request(body, createContext({ endpoint: 'embed', request: body }))).to.deep.equal(sent)
    })
  }

  for (const [what, dialect, body, vectors, tokens] of answers) {
    it(`are parsed from ${what}`, () => {
      const request = { model, input: 'x' }
      expect(dialect.answer(body, createContext({ endpoint: 'embed', request }))).to.deep.equal({
        object: 'list',
        model,
        data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      })
    })
  }

  it('are base64 when that was requested', () => {
    const request = { model, input: 'x', encoding_format: 'base64' }
    const answer = batchEmbedDialect.answer({ embeddings: [{ values: [1] }] }, createContext({ request }))
    expect((answer.data as JsonObject[])[0]?.embedding).to.equal('AACAPw==')
  })

  it('do not accept tokens as input', () => {
    for (const dialect of [batchEmbedDialect, embedContentDialect, predictEmbedDialect]) {
      const error = gatewayErrorOf(() => dialect.request({ model, input: [[1, 2]] }, createContext()))
      expect(error).to.include({ code: 'invalid_body', param: '/input/0' })
    }
  })

  it('are an error when the answer contains none', () => {
    for (const dialect of [batchEmbedDialect, embedContentDialect, predictEmbedDialect]) {
      for (const body of [{}, { embeddings: [{}], embedding: {}, predictions: [null] }]) {
        const error = gatewayErrorOf(() => dialect.answer(body, createContext({ request: { model } })))
        expect(error.code).to.equal('upstream_invalid_response')
      }
    }
  })
})
