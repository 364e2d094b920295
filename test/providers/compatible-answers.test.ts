/** The rules of a compatible row for answers: images, failures with status 200, texts, embeddings. */
import type { InferenceEndpoint, JsonObject } from '@gateway/contract'
import { compatibleDialect, type EndpointRules } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createContext, createdAt } from './fixtures/context.ts'
import { dataEvent, runStream, translatorOf } from './fixtures/streams.ts'
import { gatewayErrorOf, upstreamErrorOf } from './fixtures/thrown.ts'

function answerBy(
  endpoint: InferenceEndpoint,
  rules: EndpointRules,
  { answer, request = {} }: { answer: JsonObject; request?: JsonObject },
): JsonObject {
  return compatibleDialect(endpoint, rules).answer(answer, createContext({ endpoint, request }))
}

describe('images of a compatible provider', () => {
  const sizes: [what: string, rules: EndpointRules, given: JsonObject, sent: JsonObject][] = [
    [
      'as two lengths',
      { size: { width: 'width', height: 'height' } },
      { size: '1024x768' },
      { width: 1024, height: 768 },
    ],
    [
      "as the caller's own length",
      { size: { width: 'width', height: 'height' } },
      { size: '1024x768', height: 512 },
      { width: 1024, height: 512 },
    ],
    ['as a ratio', { size: { ratio: 'ar', ratios: ['1:1', '16:9'] } }, { size: '1792x1024' }, { ar: '16:9' }],
    [
      'as a tall ratio',
      { size: { ratio: 'ar', ratios: ['16:9', '9:16'] } },
      { size: '10x99' },
      { ar: '9:16' },
    ],
    ['not at all if it is not a size', { size: { width: 'width', height: 'height' } }, { size: 'auto' }, {}],
  ]
  for (const [what, rules, given, sent] of sizes) {
    it(`send the size ${what}`, () => {
      const dialect = compatibleDialect('imageGenerate', rules)
      expect(dialect.request(given, createContext({ endpoint: 'imageGenerate' }))).to.deep.equal(sent)
    })
  }

  const png = 'iVBORw0KGgo='
  const dataUrl = `data:image/png;base64,${png}`
  const answers: [what: string, image: string | JsonObject, request: JsonObject, item: JsonObject][] = [
    ['a URL', { url: 'https://img.example/1', index: 0 }, {}, { url: 'https://img.example/1' }],
    ['base64', { b64_json: png }, { response_format: 'b64_json' }, { b64_json: png }],
    ['bytes for one who wants a URL', { image: png }, {}, { url: dataUrl }],
    ['a data URL for one who wants base64', dataUrl, { response_format: 'b64_json' }, { b64_json: png }],
    ['a revised prompt', { image: png, revised_prompt: 'x' }, {}, { url: dataUrl, revised_prompt: 'x' }],
  ]
  for (const [what, image, request, item] of answers) {
    it(`read ${what}`, () => {
      const answer = answerBy('imageGenerate', { images: 'images' }, { answer: { images: [image] }, request })
      expect(answer).to.deep.equal({ created: createdAt, data: [item] })
    })
  }

  it('keep the time and the usage of the answer', () => {
    const answer = answerBy(
      'imageGenerate',
      { images: 'data' },
      { answer: { created: 7, data: [], usage: { n: 1 } } },
    )
    expect(answer).to.deep.equal({ created: 7, data: [], usage: { n: 1 } })
  })

  for (const answer of [
    {},
    { images: 'x' },
    { images: [{}] },
    { images: [{ image: '' }] },
    { images: [7] },
  ]) {
    it(`refuse ${JSON.stringify(answer)}`, () => {
      const error = gatewayErrorOf(() => answerBy('imageGenerate', { images: 'images' }, { answer }))
      expect(error.code).to.equal('upstream_invalid_response')
    })
  }
})

describe('errors in answers with status 200', () => {
  const rules: EndpointRules = {
    failure: {
      in: 'base_resp',
      code: 'status_code',
      message: 'status_msg',
      success: 0,
      statuses: { 1002: 429 },
    },
  }
  const failed = { base_resp: { status_code: 1002, status_msg: 'rate limit' }, choices: null }

  it("are recognised by the provider's own code, with the matching status", () => {
    expect(upstreamErrorOf(() => answerBy('chatComplete', rules, { answer: failed }))).to.deep.equal({
      status: 429,
      message: 'rate limit',
      type: 'upstream_error',
      param: null,
      code: '1002',
    })
    const unknown = { base_resp: { status_code: 9 } }
    expect(upstreamErrorOf(() => answerBy('chatComplete', rules, { answer: unknown }))).to.include({
      status: 502,
      code: '9',
    })
  })

  it('are recognised in a stream, too', () => {
    const translator = translatorOf(compatibleDialect('chatComplete', rules))
    expect(upstreamErrorOf(() => translator.event(dataEvent(failed)))).to.include({ status: 429 })
  })

  for (const base_resp of [{ status_code: 0, status_msg: 'success' }, {}, null]) {
    it(`are not reported for ${JSON.stringify(base_resp)}`, () => {
      const answer = { choices: [], base_resp }
      expect(answerBy('chatComplete', rules, { answer })).to.equal(answer)
    })
  }

  const told: [what: string, answer: JsonObject, error: JsonObject][] = [
    [
      'an error object',
      { error: { message: 'No credit', code: 402 } },
      { status: 402, message: 'No credit' },
    ],
    ['an error as text', { error: 'Too fast' }, { status: 502, message: 'Too fast' }],
    ['object: error', { object: 'error', message: 'No', code: 404 }, { status: 404, message: 'No' }],
    ['an error without words', { error: {} }, { status: 502, code: 'upstream_error' }],
  ]
  for (const [what, answer, error] of told) {
    it(`are parsed from ${what}, for every compatible provider`, () => {
      expect(upstreamErrorOf(() => answerBy('chatComplete', {}, { answer }))).to.include(error)
    })
  }

  it('are not reported for a valid answer', () => {
    const answer = { choices: [], error: null }
    expect(answerBy('chatComplete', {}, { answer })).to.equal(answer)
  })
})

describe('texts answered as chats', () => {
  const rules = { answersAsChat: true, usageIn: 'chunk' }
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

  it('become text completions', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'b = 2' }, finish_reason: 'stop' }]
    expect(
      answerBy('complete', rules, { answer: { id: 'c', object: 'chat.completion', choices, usage } }),
    ).to.deep.equal({
      id: 'c',
      object: 'text_completion',
      choices: [{ index: 0, text: 'b = 2', logprobs: null, finish_reason: 'stop' }],
      usage,
    })
  })

  it('become streams of text completions, the usage at the end', () => {
    const chunk = (content: string, rest: JsonObject = {}) =>
      dataEvent({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }], ...rest })
    const translator = translatorOf(compatibleDialect('complete', rules), { includeUsage: true })
    const run = runStream(translator, [chunk('b = '), chunk('2', { usage }), dataEvent('[DONE]')])
    expect(run.chunks.map(({ object }) => object)).to.deep.equal(Array(3).fill('text_completion'))
    const [first, , last] = run.chunks
    expect(first?.choices).to.deep.equal([{ index: 0, text: 'b = ', logprobs: null, finish_reason: null }])
    expect([last?.choices, last?.usage]).to.deep.equal([[], usage])
  })
})

describe('embeddings of a compatible provider', () => {
  const floats = { data: [{ index: 0, embedding: [1, -0.5] }], usage: {} }

  it('are base64 if that was requested, for any format of the provider', () => {
    const answer = answerBy('embed', {}, { answer: floats, request: { encoding_format: 'base64' } })
    const [item] = answer.data as { embedding: string }[]
    const bytes = Buffer.from(item?.embedding ?? '', 'base64')
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).to.deep.equal([1, -0.5])
  })

  it('are unchanged otherwise', () => {
    expect(answerBy('embed', {}, { answer: floats })).to.equal(floats)
    const base64 = { data: [{ embedding: 'AACAPw==' }] }
    expect(answerBy('embed', {}, { answer: base64, request: { encoding_format: 'base64' } })).to.equal(base64)
  })
})
