/**
 * Addresses, text completions, embeddings and images of Workers AI.
 * Sources: https://developers.cloudflare.com/workers-ai/get-started/rest-api/ and the pages of the models named here.
 */
import type { JsonObject, ProviderSettings } from '@gateway/contract'
import adapter from '@gateway/provider-workers-ai'
import { expect } from 'chai'
import { type ContextOptions, createContext, createdAt } from '../fixtures/context.ts'
import { dataEvent, runStream, translatorOf } from '../fixtures/streams.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { answerFor, dialectOf, endpointOf, llama, sentFor, wrapped } from './fixtures.ts'

const baseUrl = (more: Partial<ProviderSettings>) => {
  if (typeof adapter.baseUrl !== 'function') throw new Error('no base URL')
  return adapter.baseUrl({ provider: 'workers-ai', ...more })
}
const pathFor = (model: unknown) => {
  const { path } = endpointOf('chatComplete')
  return typeof path === 'string' ? path : path({ model } as JsonObject, { provider: 'workers-ai' })
}

describe('Workers AI addresses', () => {
  it('belong to the account, in the config or the stored credential', () => {
    const url = 'https://api.cloudflare.com/client/v4/accounts/0a1b/ai/run'
    expect(baseUrl({ resource_name: '0a1b' })).to.equal(url)
    expect(baseUrl({ configurations: { workers_ai_account_id: '0a1b' } })).to.equal(url)
  })
  it('end with the model', () => {
    expect(pathFor(llama)).to.equal(`/${llama}`)
    expect(pathFor('@hf/a b/c?d')).to.equal('/@hf/a%20b/c%3Fd')
  })
  for (const resource_name of [undefined, '', '../x', 'a/b', 'a?b']) {
    it(`are refused for the account ${String(resource_name)}`, () => {
      expect(gatewayErrorOf(() => baseUrl({ resource_name })).code).to.equal('no_provider')
    })
  }
  for (const model of [undefined, '', '@cf/../../x', '@cf//x']) {
    it(`are refused for the model ${String(model)}`, () => {
      expect(gatewayErrorOf(() => pathFor(model))).to.include({ code: 'invalid_body', param: '/model' })
    })
  }
})

describe('Workers AI text completions', () => {
  it('send a single prompt', () => {
    expect(sentFor('complete', { prompt: 'P', max_tokens: 3, raw: true })).to.deep.equal({
      prompt: 'P',
      max_tokens: 3,
      raw: true,
    })
    expect(sentFor('complete', { prompt: ['P'], echo: false })).to.deep.equal({ prompt: 'P' })
  })
  const refused: [JsonObject, string][] = [
    [{ prompt: ['A', 'B'] }, '/prompt'],
    [{ prompt: [1, 2] }, '/prompt'],
    [{ prompt: 'P', suffix: 's' }, '/suffix'],
    [{ prompt: 'P', echo: true }, '/echo'],
  ]
  for (const [body, param] of refused) {
    it(`refuse ${JSON.stringify(body)}`, () => {
      expect(gatewayErrorOf(() => sentFor('complete', body))).to.include({ code: 'invalid_body', param })
    })
  }

  const usage = { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 }
  it('return text', () => {
    const request = { model: llama, max_tokens: 4 }
    expect(answerFor('complete', wrapped({ response: 'T', usage }), { request })).to.deep.equal({
      id: 'cmpl-1',
      object: 'text_completion',
      created: createdAt,
      model: llama,
      choices: [{ index: 0, text: 'T', logprobs: null, finish_reason: 'length' }],
      usage,
    })
  })
  it('return text from models of the compatible format', () => {
    const result = { id: 'x', choices: [{ index: 0, message: { content: 'T' }, finish_reason: 'stop' }] }
    expect(answerFor('complete', wrapped(result))).to.have.nested.property('choices[0].text', 'T')
  })
  it('stream text', () => {
    const options: ContextOptions = { request: { model: llama }, includeUsage: true }
    const events = [{ response: 'A' }, { choices: [{ text: 'B' }] }, { response: '', usage }, '[DONE]']
    const { chunks, done } = runStream(translatorOf(dialectOf('complete'), options), events.map(dataEvent))
    expect(done).to.equal(true)
    const choices = chunks.flatMap((chunk) => chunk.choices as JsonObject[])
    expect(choices.map(({ text }) => text)).to.deep.equal(['A', 'B', ''])
    expect(choices.map(({ finish_reason }) => finish_reason)).to.deep.equal([null, null, 'stop'])
    expect(chunks.at(-1)).to.deep.include({ object: 'text_completion', choices: [], usage })
  })
})

describe('Workers AI embeddings', () => {
  it('send texts', () => {
    const body = { input: 'A', encoding_format: 'float', user: 'u', pooling: 'cls' }
    expect(sentFor('embed', body)).to.deep.equal({ text: ['A'], pooling: 'cls' })
    expect(sentFor('embed', { input: ['A', 'B'] })).to.deep.equal({ text: ['A', 'B'] })
  })
  const refused: [JsonObject, string][] = [
    [{ input: [[1, 2]] }, '/input/0'],
    [{ input: 'A', dimensions: 3 }, '/dimensions'],
  ]
  for (const [body, param] of refused) {
    it(`refuse ${JSON.stringify(body)}`, () => {
      expect(gatewayErrorOf(() => sentFor('embed', body))).to.include({ code: 'invalid_body', param })
    })
  }
  it('return vectors, also as base64', () => {
    const result = wrapped({
      shape: [2, 2],
      data: [
        [1, 2],
        [3, 4],
      ],
      pooling: 'cls',
    })
    const answer = answerFor('embed', result)
    expect(answer).to.deep.include({ object: 'list', model: llama })
    expect((answer.data as JsonObject[]).map(({ embedding }) => embedding)).to.deep.equal([
      [1, 2],
      [3, 4],
    ])
    const base64 = answerFor('embed', result, { request: { model: llama, encoding_format: 'base64' } })
    expect(base64).to.have.nested.property('data[0].embedding', 'AACAPwAAAEA=')
  })
  it('are refused without vectors', () => {
    expect(gatewayErrorOf(() => answerFor('embed', wrapped({}))).code).to.equal('upstream_invalid_response')
  })
})

describe('Workers AI images', () => {
  const sdxl = '@cf/stabilityai/stable-diffusion-xl-base-1.0'
  const flux1 = '@cf/black-forest-labs/flux-1-schnell'
  const flux2 = '@cf/black-forest-labs/flux-2-dev'
  const bodies: [string, JsonObject, JsonObject][] = [
    ['a size', { model: sdxl, size: '512x768', n: 1 }, { width: 512, height: 768 }],
    ['an invalid size', { model: sdxl, size: 'auto' }, {}],
    ['a model with one size', { model: flux1, size: '512x512', steps: 4 }, { steps: 4 }],
    [
      'its own parameters',
      { model: sdxl, negative_prompt: 'no', seed: 3, quality: 'hd' },
      {
        negative_prompt: 'no',
        seed: 3,
      },
    ],
  ]
  for (const [what, body, expected] of bodies) {
    it(`send a prompt with ${what}`, () => {
      expect(sentFor('imageGenerate', { prompt: 'P', ...body })).to.deep.equal({ prompt: 'P', ...expected })
    })
  }
  it('refuse several images', () => {
    const error = gatewayErrorOf(() => sentFor('imageGenerate', { prompt: 'P', n: 2 }))
    expect(error).to.include({ code: 'invalid_body', param: '/n' })
  })

  const encoded = (model: string, body: JsonObject) => {
    const bytes = dialectOf('imageGenerate').encode?.(body, createContext({ request: { model } }))
    return { contentType: bytes?.contentType ?? '', text: bytes?.bytes.toString() ?? '' }
  }
  it('are requested with JSON, and with a form for the second FLUX family', () => {
    expect(encoded(flux1, { prompt: 'P' })).to.deep.equal({
      contentType: 'application/json',
      text: '{"prompt":"P"}',
    })
    const form = encoded(flux2, { prompt: 'P', width: 512 })
    expect(form.contentType).to.match(/^multipart\/form-data; boundary=/)
    expect(form.text)
      .to.match(/name="prompt"\r\n\r\nP\r\n/)
      .and.to.match(/name="width"\r\n\r\n512\r\n/)
  })

  const png = 'iVBORw0KGgo='
  it('return base64 answers in the requested format', () => {
    const result = wrapped({ image: png })
    expect(answerFor('imageGenerate', result)).to.deep.equal({
      created: createdAt,
      data: [{ url: `data:image/png;base64,${png}` }],
    })
    const request = { response_format: 'b64_json' }
    expect(answerFor('imageGenerate', result, { request }).data).to.deep.equal([{ b64_json: png }])
  })
  it('return binary answers', () => {
    const { decode } = dialectOf('imageGenerate')
    const bytes = Buffer.from(png, 'base64')
    const decoded = decode?.(bytes, { 'content-type': 'image/png' }, createContext())
    const request = { response_format: 'b64_json' }
    expect(answerFor('imageGenerate', decoded ?? {}, { request }).data).to.deep.equal([{ b64_json: png }])
  })
  it('are refused without an image', () => {
    expect(gatewayErrorOf(() => answerFor('imageGenerate', wrapped({}))).code).to.equal(
      'upstream_invalid_response',
    )
  })
})
