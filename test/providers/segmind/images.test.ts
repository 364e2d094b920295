/**
 * Segmind: parameters of a model's own, bytes or JSON back.
 * Source: https://docs.segmind.com/docs/serverless-api, https://www.segmind.com/models/sdxl1.0-txt2img/api
 */
import type { JsonObject } from '@gateway/contract'
import segmind from '@gateway/provider-segmind'
import { expect } from 'chai'
import { imageAnswerOf, imageContext, imageEndpoint, imageRequestOf } from '../fixtures/adapters.ts'
import { createdAt, createIo } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'

const flux: JsonObject = { model: 'fast-flux-schnell', prompt: 'a fox' }

describe('Segmind images', () => {
  it('sends the key in its own header', async () => {
    const request = { method: 'POST', url: 'https://h/v1', headers: {}, body: null } as const
    const sent = await segmind.auth(request, { provider: 'segmind', api_key: 'SG_1' }, createIo())
    expect(sent.headers).to.deep.equal({ 'x-api-key': 'SG_1' })
  })

  it('sends the model in the path, which a model name cannot leave', () => {
    expect(imageRequestOf(segmind, flux).path).to.equal('/fast-flux-schnell')
    expect(imageRequestOf(segmind, { ...flux, model: 'a/b' }).path).to.equal('/a%2Fb')
    const climbing = { ...flux, model: '../get-user-credits' }
    expect(gatewayErrorOf(() => imageRequestOf(segmind, climbing))).to.include({ param: '/model' })
  })

  const sent: [what: string, given: JsonObject, body: JsonObject][] = [
    ['lengths', { size: '1024x768' }, { width: 1024, height: 768 }],
    [
      'lengths under the names of the older family',
      { model: 'sdxl1.0-txt2img', size: '1024x768' },
      { img_width: 1024, img_height: 768 },
    ],
    ["the caller's own lengths", { size: '1024x768', width: 512 }, { width: 512, height: 768 }],
    ['parameters of the model', { steps: 4, seed: 1, style: 'base' }, { steps: 4, seed: 1, style: 'base' }],
    ['nothing for null', { seed: null, size: null, n: null, steps: null }, {}],
    ['no parameters that it lacks', { n: 1, quality: 'hd', style: 'vivid', user: 'u', size: 'auto' }, {}],
  ]
  for (const [what, given, body] of sent) {
    it(`sends ${what}`, () => {
      expect(imageRequestOf(segmind, { ...flux, ...given }).body).to.deep.equal({ prompt: 'a fox', ...body })
    })
  }

  it('refuses several images', () => {
    expect(gatewayErrorOf(() => imageRequestOf(segmind, { ...flux, n: 2 }))).to.include({
      code: 'invalid_body',
      param: '/n',
    })
  })

  function decoded(bytes: Buffer, type: string, request = flux): JsonObject {
    const { dialect } = imageEndpoint(segmind, request)
    const body = dialect.decode?.(bytes, { 'content-type': type }, imageContext(segmind, request)) ?? {}
    return imageAnswerOf(segmind, body, { request })
  }
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0])

  it('reads binary answers', () => {
    expect(decoded(jpeg, 'image/jpeg')).to.deep.equal({
      created: createdAt,
      data: [{ url: `data:image/jpeg;base64,${jpeg.toString('base64')}` }],
    })
    expect(decoded(jpeg, 'image/jpeg', { ...flux, response_format: 'b64_json' }).data).to.deep.equal([
      { b64_json: jpeg.toString('base64') },
    ])
  })

  const answers: [what: string, answer: JsonObject, data: JsonObject[]][] = [
    ['base64', { image: 'UklGRg==' }, [{ url: 'data:image/webp;base64,UklGRg==' }]],
    [
      'several',
      { image: ['iVBORw==', 'iVBORw=='] },
      [0, 1].map(() => ({ url: 'data:image/png;base64,iVBORw==' })),
    ],
    ['a URL', { output: 'https://images.example/1.png' }, [{ url: 'https://images.example/1.png' }]],
  ]
  for (const [what, answer, data] of answers) {
    it(`reads JSON with ${what}`, () => {
      expect(decoded(Buffer.from(JSON.stringify(answer)), 'application/json').data).to.deep.equal(data)
    })
  }

  const unreadable: [what: string, bytes: string, type: string][] = [
    ['text', 'hello', 'text/html'],
    ['torn JSON', '{"image":', 'application/json'],
    ['JSON without an image', '{"status":"ok"}', 'application/json'],
    ['a list', '[]', 'application/json'],
  ]
  for (const [what, bytes, type] of unreadable) {
    it(`refuses ${what}`, () => {
      const error = gatewayErrorOf(() => decoded(Buffer.from(bytes), type))
      expect(error.code).to.equal('upstream_invalid_response')
    })
  }

  it('parses its errors', () => {
    const read = (body: JsonObject) => imageEndpoint(segmind, flux).dialect.error?.(401, body, {})
    const error = { status: 401, type: 'upstream_error', param: null }
    expect(read({ error: 'Unauthorized. API key is invalid' })).to.deep.equal({
      ...error,
      message: 'Unauthorized. API key is invalid',
      code: 'upstream_error',
    })
    expect(read({ error: 'invalid_token', error_description: 'Token is expired' })).to.deep.equal({
      ...error,
      message: 'Token is expired',
      code: 'invalid_token',
    })
    expect(read({ message: 'x' })).to.equal(null)
  })
})
