/**
 * Image generation of the Gemini image models and of Imagen.
 * Source: https://ai.google.dev/gemini-api/docs/image-generation,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api
 */
import type { JsonObject } from '@gateway/contract'
import { geminiImageDialect, imagenDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createContext, createdAt } from '../fixtures/context.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'

const context = createContext({ endpoint: 'imageGenerate' })

describe('Gemini images', () => {
  const shapes: [JsonObject, JsonObject][] = [
    [{}, {}],
    [{ size: '1024x1024' }, { aspectRatio: '1:1' }],
    [
      { size: '1792x1024', quality: 'hd' },
      { aspectRatio: '16:9', imageSize: '2K' },
    ],
    [{ size: '1024x1792', quality: 'standard' }, { aspectRatio: '9:16' }],
    [{ size: '800x600' }, { aspectRatio: '4:3' }],
    [{ size: 'auto' }, {}],
    [{ size: '0x0' }, {}],
  ]
  for (const [given, imageConfig] of shapes) {
    it(`with ${JSON.stringify(given)} are requested with ${JSON.stringify(imageConfig)}`, () => {
      const { generationConfig } = geminiImageDialect.request({ prompt: 'A cat', ...given }, context)
      expect(generationConfig).to.deep.equal({
        responseModalities: ['IMAGE'],
        ...(Object.keys(imageConfig).length === 0 ? {} : { imageConfig }),
      })
    })
  }

  it('are requested with the prompt, one at a time', () => {
    const { contents } = geminiImageDialect.request({ prompt: 'A cat', n: 1 }, context)
    expect(contents).to.deep.equal([{ role: 'user', parts: [{ text: 'A cat' }] }])
    const error = gatewayErrorOf(() => geminiImageDialect.request({ prompt: 'A cat', n: 2 }, context))
    expect(error).to.include({ code: 'invalid_body', param: '/n' })
  })

  it('do not include images in thoughts', () => {
    const parts = [
      { inlineData: { data: 'draft' }, thought: true },
      { text: 'Here' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    ]
    expect(geminiImageDialect.answer({ candidates: [{ content: { parts } }] }, context)).to.deep.equal({
      created: createdAt,
      data: [{ b64_json: 'AAAA' }],
    })
  })

  it('from Imagen are read from predictions', () => {
    expect(imagenDialect.request({ prompt: 'A cat', n: 2, size: '1024x1024' }, context)).to.deep.equal({
      instances: [{ prompt: 'A cat' }],
      parameters: { sampleCount: 2, aspectRatio: '1:1' },
    })
    const predictions = [
      { bytesBase64Encoded: 'AAAA', mimeType: 'image/png', prompt: 'A grey cat' },
      { bytesBase64Encoded: 'BBBB', mimeType: 'image/png' },
    ]
    expect(imagenDialect.answer({ predictions }, context)).to.deep.equal({
      created: createdAt,
      data: [{ b64_json: 'AAAA', revised_prompt: 'A grey cat' }, { b64_json: 'BBBB' }],
    })
  })

  const filtered: [string, () => unknown][] = [
    [
      'a blocked prompt',
      () => geminiImageDialect.answer({ promptFeedback: { blockReason: 'SAFETY' } }, context),
    ],
    [
      'a filtered image',
      () => geminiImageDialect.answer({ candidates: [{ finishReason: 'IMAGE_SAFETY' }] }, context),
    ],
    [
      'a filtered prediction',
      () => imagenDialect.answer({ predictions: [{ raiFilteredReason: 'blocked' }] }, context),
    ],
  ]
  for (const [what, run] of filtered) {
    it(`are refused for ${what}`, () => {
      expect(upstreamErrorOf(run)).to.include({ status: 400, code: 'content_policy_violation' })
    })
  }

  it('are an error when the answer contains none', () => {
    for (const run of [
      () => geminiImageDialect.answer({ candidates: [{ finishReason: 'STOP' }] }, context),
      () => imagenDialect.answer({}, context),
    ]) {
      expect(gatewayErrorOf(run).code).to.equal('upstream_invalid_response')
    }
  })
})
