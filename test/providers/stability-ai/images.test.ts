/**
 * Stability AI: the call of each model, its request and its answer. Source:
 * https://platform.stability.ai/docs/api-reference
 */
import type { JsonObject } from '@gateway/contract'
import stability from '@gateway/provider-stability-ai'
import { expect } from 'chai'
import { imageAnswerOf, imageContext, imageEndpoint, imageRequestOf } from '../fixtures/adapters.ts'
import { createdAt } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'

const png = 'iVBORw0KGgo='
const core: JsonObject = { model: 'stable-image-core', prompt: 'a lighthouse' }
const engine: JsonObject = { model: 'stable-diffusion-xl-1024-v1-0', prompt: 'a lighthouse' }

describe('Stability AI images', () => {
  const paths: [model: string | undefined, path: string][] = [
    [undefined, '/v2beta/stable-image/generate/core'],
    ['core', '/v2beta/stable-image/generate/core'],
    ['stable-image-core', '/v2beta/stable-image/generate/core'],
    ['stable-image-ultra', '/v2beta/stable-image/generate/ultra'],
    ['sd3.5-large-turbo', '/v2beta/stable-image/generate/sd3'],
    ['sd3-medium', '/v2beta/stable-image/generate/sd3'],
    ['stable-diffusion-xl-1024-v1-0', '/v1/generation/stable-diffusion-xl-1024-v1-0/text-to-image'],
    ['a/b?c', '/v1/generation/a%2Fb%3Fc/text-to-image'],
  ]
  for (const [model, path] of paths) {
    it(`calls ${path} for ${model ?? 'no model'}`, () => {
      const body = { prompt: 'x', ...(model === undefined ? {} : { model }) }
      expect(imageRequestOf(stability, body).path).to.equal(path)
    })
  }

  const hosts: [host: string, body: JsonObject, path: string][] = [
    ['https://proxy.example/v2beta', core, '/stable-image/generate/core'],
    ['https://proxy.example/v1/', engine, '/generation/stable-diffusion-xl-1024-v1-0/text-to-image'],
    ['https://proxy.example/v1//', engine, '/generation/stable-diffusion-xl-1024-v1-0/text-to-image'],
    ['https://proxy.example/v1', core, '/v2beta/stable-image/generate/core'],
  ]
  for (const [custom_host, body, path] of hosts) {
    it(`does not repeat the version in ${custom_host}`, () => {
      expect(imageRequestOf(stability, body, { custom_host }).path).to.equal(path)
    })
  }

  it("sends a form with the service's fields", () => {
    const body = {
      ...core,
      model: 'sd3.5-large',
      size: '1792x1024',
      negative_prompt: 'fog',
      seed: 7,
      quality: 'hd',
      style: 'vivid',
      response_format: 'b64_json',
    }
    const sent = imageRequestOf(stability, body).body
    expect(sent).to.deep.equal({
      prompt: 'a lighthouse',
      negative_prompt: 'fog',
      aspect_ratio: '16:9',
      seed: 7,
      model: 'sd3.5-large',
    })
    const { dialect } = imageEndpoint(stability, body)
    const form = dialect.encode?.(sent, imageContext(stability, body))
    expect(form?.contentType).to.match(/^multipart\/form-data; boundary=/)
    expect(form?.bytes.toString()).to.include('name="seed"\r\n\r\n7\r\n').and.include('name="aspect_ratio"')
  })

  it('sends no model to a service for one model', () => {
    expect(imageRequestOf(stability, core).body).to.deep.equal({ prompt: 'a lighthouse' })
  })

  it("prefers the caller's own aspect ratio", () => {
    const { body } = imageRequestOf(stability, { ...core, size: '1024x1024', aspect_ratio: '9:21' })
    expect(body.aspect_ratio).to.equal('9:21')
  })

  it('sends an engine weighted prompts, dimensions and a number of samples', () => {
    const body = { ...engine, size: '1152x896', n: 2, negative_prompt: 'fog', steps: 30, user: 'u' }
    expect(imageRequestOf(stability, body).body).to.deep.equal({
      text_prompts: [
        { text: 'a lighthouse', weight: 1 },
        { text: 'fog', weight: -1 },
      ],
      samples: 2,
      width: 1152,
      height: 896,
      steps: 30,
    })
  })

  it('sends the end user in a header that cannot be split', () => {
    expect(imageRequestOf(stability, { ...core, user: 'u-1\r\nx-evil: 1é' }).headers).to.deep.equal({
      'stability-client-user-id': 'u-1x-evil: 1',
    })
    expect(imageRequestOf(stability, core).headers).to.deep.equal({})
  })

  it('refuses several images from a service that generates one', () => {
    const { code, param, message } = gatewayErrorOf(() => imageRequestOf(stability, { ...core, n: 2 }))
    expect([code, param]).to.deep.equal(['invalid_body', '/n'])
    expect(message).to.include('stability-ai')
  })

  it('returns a data URL, or base64 on request', () => {
    const answer = { image: png, finish_reason: 'SUCCESS', seed: 7 }
    expect(imageAnswerOf(stability, answer, { request: core })).to.deep.equal({
      created: createdAt,
      data: [{ url: `data:image/png;base64,${png}` }],
    })
    expect(
      imageAnswerOf(stability, answer, { request: { ...core, response_format: 'b64_json' } }).data,
    ).to.deep.equal([{ b64_json: png }])
  })

  it('reports the content filter, and the seed without strict compliance', () => {
    const answer = { image: '/9j/4AAQ', finish_reason: 'CONTENT_FILTERED', seed: 7 }
    const filtered = { url: 'data:image/jpeg;base64,/9j/4AAQ', finish_reason: 'content_filter' }
    expect(imageAnswerOf(stability, answer, { request: core }).data).to.deep.equal([filtered])
    expect(
      imageAnswerOf(stability, answer, { request: core, options: { strict: false } }).data,
    ).to.deep.equal([{ ...filtered, seed: 7, provider_finish_reason: 'CONTENT_FILTERED' }])
  })

  it('returns every image of an engine, also from a nested list', () => {
    const one = { base64: png, finishReason: 'SUCCESS', seed: 1 }
    for (const artifacts of [[one, one], [[one, one]]]) {
      const answer = imageAnswerOf(
        stability,
        { artifacts },
        { request: { ...engine, response_format: 'b64_json' } },
      )
      expect(answer.data).to.deep.equal([{ b64_json: png }, { b64_json: png }])
    }
  })

  for (const answer of [{}, { image: '' }, { image: 7 }, { images: [png] }]) {
    it(`refuses an answer without an image: ${JSON.stringify(answer)}`, () => {
      const error = gatewayErrorOf(() => imageAnswerOf(stability, answer, { request: core }))
      expect(error.code).to.equal('upstream_invalid_response')
    })
  }

  it('parses the errors of both versions', () => {
    const read = (body: JsonObject) => imageEndpoint(stability, core).dialect.error?.(400, body, {})
    const error = { status: 400, type: 'upstream_error', param: null }
    expect(
      read({ id: 'e1', name: 'bad_request', errors: ['seed: too large', 'prompt: missing'] }),
    ).to.deep.equal({ ...error, message: 'seed: too large; prompt: missing', code: 'bad_request' })
    expect(read({ id: 'e1', name: 'unauthorized', message: 'missing key' })).to.deep.equal({
      ...error,
      message: 'missing key',
      code: 'unauthorized',
    })
    expect(read({ id: 'e1' })).to.equal(null)
  })
})
