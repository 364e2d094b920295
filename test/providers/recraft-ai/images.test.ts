/**
 * Recraft: the compatible call with the vendor's own styles. Source:
 * https://www.recraft.ai/docs/api-reference/endpoints
 */
import type { JsonObject } from '@gateway/contract'
import recraft from '@gateway/provider-recraft-ai'
import { expect } from 'chai'
import { imageAnswerOf, imageRequestOf } from '../fixtures/adapters.ts'

const prompt = 'a red fox'

describe('Recraft images', () => {
  const sent: [what: string, given: JsonObject, body: JsonObject][] = [
    [
      'its own styles and fields',
      { style: 'digital_illustration', substyle: 'hand_drawn', random_seed: 7, size: '1365x1024' },
      { style: 'digital_illustration', substyle: 'hand_drawn', random_seed: 7, size: '1365x1024' },
    ],
    ['no style of the format', { style: 'vivid', n: 2 }, { n: 2 }],
    [
      'neither quality nor user',
      { quality: 'hd', user: 'u', response_format: 'url' },
      { response_format: 'url' },
    ],
  ]
  for (const [what, given, body] of sent) {
    it(`sends ${what}`, () => {
      expect(imageRequestOf(recraft, { prompt, model: 'recraftv3', ...given })).to.deep.equal({
        path: '/images/generations',
        body: { prompt, model: 'recraftv3', ...body },
        headers: {},
      })
    })
  }

  it('returns the answer unchanged', () => {
    const answer = { created: 1, credits: 40, data: [{ image_id: 'i', url: 'https://img.example/i' }] }
    expect(imageAnswerOf(recraft, answer)).to.equal(answer)
  })
})
