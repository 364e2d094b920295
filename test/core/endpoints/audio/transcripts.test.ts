/** `/v1/audio/transcriptions` and `/translations`: take a form and return JSON, text or events. */
import { expect } from 'chai'
import { form, readForm, sound } from '../../../support/form.ts'
import { adminKey, configHeader } from '../../../support/gateway.ts'
import { openScene, tree } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { type Handler, sendEvents, sendJson } from '../../../support/upstream.ts'

const usage = { type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 }
const hears =
  (text: string, extra: object = {}): Handler =>
  (_request, response) =>
    sendJson(response, 200, { text, ...extra })

const says =
  (text: string, type = 'text/plain; charset=utf-8'): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type })
    response.end(text)
  }

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
const delta = (text: string) => event({ type: 'transcript.text.delta', delta: text })
const done = (text: string) => event({ type: 'transcript.text.done', text, usage })
const streams =
  (...events: string[]): Handler =>
  (_request, response) =>
    sendEvents(response, events)

describe('a transcript', () => {
  const scene = openScene()
  const ask = (
    config: unknown,
    fields: [string, string][] = [],
    path = '/v1/audio/transcriptions',
  ): Promise<Response> =>
    fetch(scene.gateway.url + path, {
      method: 'POST',
      headers: { 'x-gateway-api-key': adminKey, ...configHeader(config) },
      body: form([['model', 'whisper-1'], ...fields], {}),
    })

  for (const [path, asked] of [
    ['/v1/audio/transcriptions', '/a/v1/audio/transcriptions'],
    ['/v1/audio/translations', '/a/v1/audio/translations'],
  ] as const) {
    it(`is requested with the same form: ${path}`, async () => {
      scene.answers = { a: hears('Hello.') }
      const fields: [string, string][] = [
        ['model', 'whisper-1'],
        ['prompt', 'Ümlaut "quoted"\r\nline'],
        ['temperature', '0.5'],
        ['house_rule', '007'],
      ]
      const response = await ask(scene.leaf('a'), fields.slice(1), path)
      expect(response.status).to.equal(200)
      expect(await response.json()).to.deep.equal({ text: 'Hello.' })
      const seen = scene.seen('a')
      expect([seen.method, seen.path]).to.deep.equal(['POST', asked])
      expect((await readForm(seen)).fields).to.deep.equal(fields)
      expect((await readForm(seen)).files).to.deep.equal([
        { field: 'file', filename: 'a.wav', contentType: 'audio/wav', bytes: sound },
      ])
    })
  }

  it('keeps lists and nested members of the form', async () => {
    scene.answers = { a: hears('Hello.') }
    const fields: [string, string][] = [
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['include[]', 'logprobs'],
      ['chunking_strategy[type]', 'server_vad'],
      ['chunking_strategy[threshold]', '0.5'],
    ]
    await ask(scene.leaf('a'), fields)
    expect((await readForm(scene.seen('a'))).fields).to.deep.equal([['model', 'whisper-1'], ...fields])
  })

  it('can be overridden by override_params, and its model loses its prefix', async () => {
    scene.answers = { a: hears('Hello.') }
    await ask(scene.leaf('a', { override_params: { language: 'de', prompt: null } }), [['prompt', 'p']])
    expect((await readForm(scene.seen('a'))).fields).to.deep.equal([
      ['model', 'whisper-1'],
      ['language', 'de'],
    ])
  })

  it('is sent in full to every attempted target', async () => {
    scene.answers = { a: 500, b: [503, hears('Hello.')] }
    const response = await ask(
      tree('fallback', [scene.leaf('a'), scene.leaf('b', { retry: { attempts: 1 } })]),
    )
    expect(await response.json()).to.deep.equal({ text: 'Hello.' })
    expect(scene.calls()).to.deep.equal(['a', 'b', 'b'])
    for (const seen of scene.upstream.seen.slice(-3))
      expect((await readForm(seen)).files[0]?.bytes).to.deep.equal(sound)
  })

  it('is routed by conditions on its form fields', async () => {
    scene.answers = { a: hears('a'), b: hears('b') }
    const conditions = [{ query: { 'params.temperature': { $gt: 0.4 } }, then: 'hot' }]
    const config = tree(
      'conditional',
      [scene.leaf('a', { name: 'cold' }), scene.leaf('b', { name: 'hot' })],
      {
        conditions,
        default: 'cold',
      },
    )
    expect(await (await ask(config, [['temperature', '0.5']])).json()).to.deep.equal({ text: 'b' })
    expect(await (await ask(config)).json()).to.deep.equal({ text: 'a' })
  })

  const texts: [format: string, type: string, text: string][] = [
    ['text', 'text/plain; charset=utf-8', 'Hello.\n'],
    ['srt', 'text/plain; charset=utf-8', '1\n00:00:00,000 --> 00:00:01,000\nHello.\n\n'],
    ['vtt', 'text/vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello.\n'],
  ]
  for (const [format, type, text] of texts) {
    it(`as ${format} is returned in that format`, async () => {
      scene.answers = { a: says(text, type) }
      const response = await ask(scene.leaf('a'), [['response_format', format]])
      expect(response.headers.get('content-type')).to.equal(type)
      expect(await response.text()).to.equal(text)
    })
  }

  it('as a stream is returned event by event', async () => {
    scene.answers = { a: streams(delta('Hel'), delta('lo.'), done('Hello.'), 'data: [DONE]\n\n') }
    const logged = scene.gateway.logs.length
    const response = await ask(scene.leaf('a'), [['stream', 'true']])
    expect(response.headers.get('content-type')).to.equal('text/event-stream')
    expect(await response.text()).to.equal(`${delta('Hel')}${delta('lo.')}${done('Hello.')}data: [DONE]\n\n`)
    expect(scene.seen('a').headers.accept).to.equal('text/event-stream')
    const line = await until('the line of the request', () =>
      scene.gateway.logs.slice(logged).find(({ path }) => path),
    )
    expect(line).to.include({ endpoint: 'createTranscription', prompt_tokens: 14, completion_tokens: 5 })
  })

  const endings: [what: string, events: string[], text: string][] = [
    [
      'without [DONE] is complete',
      [delta('Hi.'), done('Hi.')],
      `${delta('Hi.')}${done('Hi.')}data: [DONE]\n\n`,
    ],
    [
      'with one complete text also has a delta',
      [done('Hi.')],
      `${delta('Hi.')}${done('Hi.')}data: [DONE]\n\n`,
    ],
  ]
  for (const [what, events, text] of endings) {
    it(`as a stream ${what}`, async () => {
      scene.answers = { a: streams(...events) }
      expect(await (await ask(scene.leaf('a'), [['stream', 'true']])).text()).to.equal(text)
    })
  }

  it('as a stream has no regular end when the upstream breaks off', async () => {
    scene.answers = { a: streams(delta('Hel')) }
    const text = await (await ask(scene.leaf('a'), [['stream', 'true']])).text()
    expect(text.startsWith(delta('Hel'))).to.equal(true)
    expect(text).to.contain('upstream_invalid_response').and.not.to.contain('[DONE]')
  })

  it('as a stream that fails before any text is returned as an error', async () => {
    scene.answers = { a: streams(event({ type: 'error', error: { message: 'Overloaded.', code: 'busy' } })) }
    const response = await ask(scene.leaf('a'), [['stream', 'true']])
    expect(response.status).to.equal(502)
    expect(await response.json()).to.have.nested.property('error.code', 'busy')
  })

  it('that the provider does not stream is returned as JSON', async () => {
    scene.answers = { a: hears('Hello.') }
    const response = await ask(scene.leaf('a'), [['stream', 'true']])
    expect(response.headers.get('content-type')).to.equal('application/json')
    expect(await response.json()).to.deep.equal({ text: 'Hello.' })
  })

  describe('with guardrails', () => {
    const guard = { deny: true, contains: { operator: 'none', words: ['secret'] } }

    it('is denied by its prompt', async () => {
      const response = await ask(scene.leaf('a', { input_guardrails: [guard] }), [['prompt', 'a secret']])
      expect(response.status).to.equal(446)
      expect(scene.calls()).to.deep.equal([])
    })

    const denied: [what: string, handler: Handler, fields: [string, string][]][] = [
      ['as JSON', hears('A secret.'), []],
      [
        'in a segment',
        hears('', { segments: [{ text: 'A secret.' }] }),
        [['response_format', 'verbose_json']],
      ],
      ['as text', says('A secret.'), [['response_format', 'text']]],
      ['as a stream', streams(delta('A sec'), delta('ret.'), done('A secret.')), [['stream', 'true']]],
      ['as a stream of one piece', streams(done('A secret.')), [['stream', 'true']]],
    ]
    for (const [what, handler, fields] of denied) {
      it(`is denied by its text, ${what}`, async () => {
        scene.answers = { a: handler }
        const response = await ask(scene.leaf('a', { output_guardrails: [guard] }), fields)
        expect(response.status).to.equal(446)
        const text = await response.text()
        expect(text).to.contain('guardrail_denied').and.not.to.contain('secret.')
      })
    }

    const redact = { type: 'mutator', regexReplace: { rule: 'secret', redactText: '***' } }
    const changed: [what: string, handler: Handler, fields: [string, string][], text: string][] = [
      ['as text', says('A secret.\n'), [['response_format', 'text']], 'A ***.\n'],
      [
        'as a stream',
        streams(delta('A sec'), delta('ret.'), done('A secret.')),
        [['stream', 'true']],
        `${delta('A ***.')}${event({ usage, type: 'transcript.text.done', text: 'A ***.' })}data: [DONE]\n\n`,
      ],
    ]
    for (const [what, handler, fields, text] of changed) {
      it(`is changed by a mutator, ${what}`, async () => {
        scene.answers = { a: handler }
        const response = await ask(scene.leaf('a', { output_guardrails: [redact] }), fields)
        expect(await response.text()).to.equal(text)
      })
    }
  })

  it('is never cached', async () => {
    scene.answers = { a: hears('Hello.') }
    const config = scene.leaf('a', { cache: { mode: 'simple' } })
    await ask(config)
    expect((await ask(config)).headers.get('x-gateway-cache-status')).to.equal('DISABLED')
    expect(scene.calls()).to.deep.equal(['a', 'a'])
  })
})
