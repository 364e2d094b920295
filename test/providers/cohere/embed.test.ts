/** Embeddings of v2. Source: https://docs.cohere.com/reference/embed */
import type { JsonObject } from '@gateway/contract'
import { cohereEmbedDialect, encodeEmbedding } from '@gateway/provider-kit'
import { expect } from 'chai'
import type { EmbedRequest, EmbedResponse } from '#kit/dialect/cohere/types'
import { createContext } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { asJson } from './fixtures/chat.ts'

const settings = { provider: 'cohere' }
const model = 'embed-v4.0'

function contextOf(request: JsonObject, strict = true) {
  return createContext({ endpoint: 'embed', settings, request: { model, ...request }, strict })
}

function requestOf(body: JsonObject): JsonObject {
  return cohereEmbedDialect.request({ model, ...body }, contextOf(body))
}

const vectors = [
  [0.5, -1],
  [0.25, 2],
]
const answer = {
  id: 'da6e531f',
  embeddings: { float: vectors },
  texts: ['a', 'b'],
  meta: { api_version: { version: '2' }, billed_units: { input_tokens: 2 } },
} satisfies EmbedResponse

function answerOf(request: JsonObject, embeddings: EmbedResponse['embeddings'], strict = true): JsonObject {
  return cohereEmbedDialect.answer(asJson({ ...answer, embeddings }), contextOf(request, strict))
}

describe('Cohere embeddings', () => {
  const requests: [string, JsonObject, Partial<EmbedRequest>][] = [
    ['one text', { input: 'a' }, { texts: ['a'] }],
    ['texts', { input: ['a', 'b'] }, { texts: ['a', 'b'] }],
    ['dimensions', { input: 'a', dimensions: 256 }, { texts: ['a'], output_dimension: 256 }],
    ['base64', { input: 'a', encoding_format: 'base64' }, { texts: ['a'], embedding_types: ['base64'] }],
    [
      "the vendor's types",
      { input: 'a', encoding_format: 'int8' },
      { texts: ['a'], embedding_types: ['int8'] },
    ],
    [
      'more types than one',
      { input: 'a', embedding_types: ['ubinary', 'float'] },
      { texts: ['a'], embedding_types: ['float', 'ubinary'] },
    ],
    ['what for', { input: 'a', input_type: 'search_query' }, { texts: ['a'], input_type: 'search_query' }],
    [
      'images',
      { input: ['data:image/png;base64,aGk='], input_type: 'image' },
      { images: ['data:image/png;base64,aGk='], input_type: 'image' },
    ],
    ['truncation', { input: 'a', truncate: 'NONE', user: 'u' }, { texts: ['a'], truncate: 'NONE' }],
  ]
  for (const [what, body, expected] of requests) {
    it(`request ${what}`, () => {
      const blank = { model, input_type: 'search_document', embedding_types: ['float'] }
      expect(requestOf(body)).to.deep.equal({ ...blank, ...expected })
    })
  }

  it('accept text, not tokens', () => {
    expect(gatewayErrorOf(() => requestOf({ input: [[1, 2]] }))).to.include({
      code: 'invalid_body',
      param: '/input/0',
    })
  })

  it('are lists of numbers, with billed usage', () => {
    expect(answerOf({ input: ['a', 'b'] }, { float: vectors })).to.deep.equal({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [0.5, -1] },
        { object: 'embedding', index: 1, embedding: [0.25, 2] },
      ],
      model,
      usage: { prompt_tokens: 2, total_tokens: 2 },
    })
  })

  const first = (list: JsonObject) => (list.data as JsonObject[])[0]?.embedding
  it('are base64 if that was requested, for any format of the vendor', () => {
    const request = { encoding_format: 'base64' }
    const base64 = encodeEmbedding([0.5, -1])
    expect(first(answerOf(request, { base64: [base64] }))).to.equal(base64)
    expect(first(answerOf(request, { float: vectors }))).to.equal(base64)
  })
  it("have the vendor's types when those were requested", () => {
    expect(first(answerOf({ encoding_format: 'int8' }, { int8: [[1, -2]] }))).to.deep.equal([1, -2])
  })
  it('include several types without strict compliance', () => {
    const embeddings = { float: vectors, ubinary: [[1], [2]] }
    const request = { embedding_types: ['ubinary'] }
    expect(answerOf(request, embeddings, false).embeddings).to.deep.equal(embeddings)
    expect(answerOf(request, embeddings)).to.not.have.property('embeddings')
  })

  for (const body of [{}, { embeddings: {} }, { embeddings: { float: ['x'] } }, { embeddings: null }]) {
    it(`cannot be read from ${JSON.stringify(body)}`, () => {
      const error = gatewayErrorOf(() => cohereEmbedDialect.answer(body, contextOf({ input: 'a' })))
      expect(error.code).to.equal('upstream_invalid_response')
    })
  }
})
