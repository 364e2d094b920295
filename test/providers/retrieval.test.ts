/**
 * Embeddings of Jina and Voyage. Sources: https://api.jina.ai/redoc,
 * https://docs.voyageai.com/reference/embeddings-api
 */
import type { JsonObject } from '@gateway/contract'
import compatible from '@gateway/provider-compatible'
import { expect } from 'chai'
import { createContext } from './fixtures/context.ts'

function dialectOf(name: string) {
  const endpoint = compatible.find((provider) => provider.name === name)?.endpoints.embed
  if (endpoint?.kind !== 'http') throw new Error(`${name} does not embed.`)
  return endpoint.dialect
}

const model = 'm'
const input = ['a']

describe('embeddings of retrieval services', () => {
  const jina = { task: 'retrieval.passage', late_chunking: true, truncate: true, normalized: false }
  const voyage = { input_type: 'query', truncation: false, output_dtype: 'int8' }
  const requests: [string, JsonObject, JsonObject][] = [
    ['jina', { dimensions: 64, user: 'u' }, { dimensions: 64 }],
    ['jina', { encoding_format: 'base64' }, { embedding_type: 'base64' }],
    ['jina', jina, jina],
    ['voyage', { dimensions: 64, user: 'u' }, { output_dimension: 64 }],
    ['voyage', { encoding_format: 'float' }, {}],
    ['voyage', { encoding_format: 'base64' }, { encoding_format: 'base64' }],
    ['voyage', voyage, voyage],
  ]
  for (const [name, given, expected] of requests) {
    it(`request from ${name} ${JSON.stringify(given)}`, () => {
      const sent = dialectOf(name).request({ model, input, ...given }, createContext())
      expect(sent).to.deep.equal({ model, input, ...expected })
    })
  }

  it("count Voyage's total as input tokens", () => {
    const answer = { object: 'list', data: [], model, usage: { total_tokens: 7 } }
    expect(dialectOf('voyage').answer(answer, createContext()).usage).to.deep.equal({
      prompt_tokens: 7,
      total_tokens: 7,
    })
  })

  for (const name of ['jina', 'voyage']) {
    it(`are base64 from ${name} when that was requested, even if the vendor returned numbers`, () => {
      const data = [
        { object: 'embedding', index: 0, embedding: [1] },
        { object: 'embedding', index: 1, embedding: 'AACAPw==' },
      ]
      const request = { model, input, encoding_format: 'base64' }
      const answer = dialectOf(name).answer({ data, usage: { total_tokens: 1 } }, createContext({ request }))
      expect((answer.data as JsonObject[]).map(({ embedding }) => embedding)).to.deep.equal([
        'AACAPw==',
        'AACAPw==',
      ])
    })
  }
})
