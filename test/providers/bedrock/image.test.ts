/**
 * Images on Amazon Bedrock, over HTTP.
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-image.html,
 * …/model-parameters-stability-diffusion.html, https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html
 */
import { expect } from 'chai'
import { json } from '../../support/gateway.ts'
import { openCloud, sendBody } from './fixtures/cloud.ts'

const png = 'iVBORw0KGgo='

describe('Bedrock images', () => {
  const cloud = openCloud()
  const draw = (body: object) => cloud.ask('/v1/images/generations', body)

  it('are made with one call for several images by Titan and Nova', async () => {
    cloud.handle(sendBody({ images: [png, png] }))
    const response = await draw({
      model: 'amazon.nova-canvas-v1:0',
      prompt: 'a cat',
      n: 2,
      size: '1024x512',
      quality: 'hd',
      style: 'vivid',
      negative_prompt: 'dogs',
      seed: 3,
    })
    const url = `data:image/png;base64,${png}`
    expect((await json(response)).data).to.deep.equal([{ url }, { url }])
    expect(cloud.seen().map(({ json: sent }) => sent)).to.deep.equal([
      {
        taskType: 'TEXT_IMAGE',
        textToImageParams: { text: 'a cat', negativeText: 'dogs' },
        imageGenerationConfig: { numberOfImages: 2, width: 1024, height: 512, quality: 'premium', seed: 3 },
      },
    ])
  })

  it('are made with one call per image by Stability AI, and base64 when that was requested', async () => {
    cloud.handle(sendBody({ images: [png], seeds: [1], finish_reasons: [null] }))
    const response = await draw({
      model: 'stability.sd3-5-large-v1:0',
      prompt: 'a cat',
      n: 2,
      size: '1792x1024',
      response_format: 'b64_json',
    })
    expect((await json(response)).data).to.deep.equal([{ b64_json: png }, { b64_json: png }])
    expect(cloud.seen().map(({ json: sent }) => sent)).to.deep.equal(
      Array(2).fill({ prompt: 'a cat', aspect_ratio: '16:9' }),
    )
  })

  const filtered: [string, object, string][] = [
    [
      'stability.stable-image-core-v1:1',
      { images: [''], finish_reasons: ['Filter reason: prompt'] },
      'Filter reason: prompt',
    ],
    [
      'amazon.titan-image-generator-v2:0',
      { images: [], error: 'This request was blocked.' },
      'This request was blocked.',
    ],
  ]
  for (const [model, answer, message] of filtered) {
    it(`that ${model} filtered are an error with the reason`, async () => {
      cloud.handle(sendBody(answer))
      const response = await draw({ model, prompt: 'x' })
      expect(response.status).to.equal(400)
      expect((await json(response)).error).to.include({ message, code: 'content_filter' })
    })
  }

  const refused: [string, object, string, string][] = [
    [
      'an invalid size',
      { model: 'amazon.nova-canvas-v1:0', prompt: 'x', size: 'large' },
      'invalid_body',
      '/size',
    ],
    [
      'more than one call makes',
      { model: 'amazon.nova-canvas-v1:0', prompt: 'x', n: 6 },
      'invalid_body',
      '/n',
    ],
    ['another model', { model: 'amazon.nova-pro-v1:0', prompt: 'x' }, 'unsupported_endpoint', '/model'],
    ['no model', { prompt: 'x' }, 'unsupported_endpoint', '/model'],
  ]
  for (const [what, request, code, param] of refused) {
    it(`are refused for ${what}`, async () => {
      expect((await json(await draw(request))).error).to.include({ code, param })
      expect(cloud.seen()).to.deep.equal([])
    })
  }

  it('are an error when the answer contains none', async () => {
    cloud.handle(sendBody({}))
    const response = await draw({ model: 'stability.sd3-5-large-v1:0', prompt: 'x' })
    expect((await json(response)).error).to.include({ code: 'upstream_invalid_response' })
  })
})
