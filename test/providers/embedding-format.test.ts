/** Embeddings as numbers and as base64. Source: https://platform.openai.com/docs/api-reference/embeddings/create */
import {
  decodeEmbedding,
  embeddingList,
  embeddingTexts,
  encodeEmbedding,
  formatEmbedding,
} from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'
import { gatewayErrorOf } from './fixtures/thrown.ts'

const base64 = { encoding_format: 'base64' }

describe('embedding formats', () => {
  it('use little-endian 32-bit floats in base64', () => {
    expect(encodeEmbedding([1, -2.5])).to.equal('AACAPwAAIMA=')
  })

  it('survive an encoding and a decoding unchanged', () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true })
    assertProperty(
      fc.property(fc.array(float, { minLength: 1 }), (vector) => {
        expect(decodeEmbedding(encodeEmbedding(vector))).to.deep.equal(vector)
      }),
    )
  })

  it('follow the request, whichever format the provider returned', () => {
    expect(formatEmbedding([1], {})).to.deep.equal([1])
    expect(formatEmbedding([1], { encoding_format: 'float' })).to.deep.equal([1])
    expect(formatEmbedding('AACAPw==', {})).to.deep.equal([1])
    expect(formatEmbedding([1], base64)).to.equal('AACAPw==')
    expect(formatEmbedding('AACAPw==', base64)).to.equal('AACAPw==')
  })

  for (const vector of [undefined, null, [], ['1'], {}, 7, '', 'AAA=', 'x']) {
    it(`cannot be decoded from ${JSON.stringify(vector)}`, () => {
      expect(gatewayErrorOf(() => formatEmbedding(vector, {})).code).to.equal('upstream_invalid_response')
    })
  }

  it('return a list in order', () => {
    const list = embeddingList({ vectors: [[1], 'AACAPw=='], request: {}, model: 'm', promptTokens: 2 })
    expect(list).to.deep.equal({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [1] },
        { object: 'embedding', index: 1, embedding: [1] },
      ],
      model: 'm',
      usage: { prompt_tokens: 2, total_tokens: 2 },
    })
  })

  it('accept one text or several', () => {
    expect(embeddingTexts({ input: 'a' }, 'acme')).to.deep.equal(['a'])
    expect(embeddingTexts({ input: ['a', 'b'] }, 'acme')).to.deep.equal(['a', 'b'])
  })

  const tokens: [unknown, string][] = [
    [[1, 2], '/input/0'],
    [['a', [1]], '/input/1'],
    [undefined, '/input'],
  ]
  for (const [input, param] of tokens) {
    it(`refuse ${JSON.stringify(input)} when only text is supported`, () => {
      const error = gatewayErrorOf(() => embeddingTexts({ input: input as string }, 'acme'))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.contain('acme')
    })
  }
})
