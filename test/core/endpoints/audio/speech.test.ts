/** `/v1/audio/speech`: takes JSON and returns audio, streamed as it arrives. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { sound } from '../../../support/form.ts'
import { adminKey, configHeader } from '../../../support/gateway.ts'
import { openScene, tree } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { sendEvents, sendJson } from '../../../support/upstream.ts'

const path = '/v1/audio/speech'
const body = { model: 'tts-1', input: 'Hello there.', voice: 'alloy' }

/** Answers with audio. */
const speaks = (_request: unknown, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'audio/mpeg', 'x-vendor': 'v', 'set-cookie': 'a=b' })
  response.end(sound)
}

describe('speech', () => {
  const scene = openScene()
  const ask = (config: unknown, extra: Record<string, unknown> = {}) =>
    fetch(scene.gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': adminKey, ...configHeader(config) },
      body: JSON.stringify({ ...body, ...extra }),
    })
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

  it('is requested with the unchanged body, and returned unchanged', async () => {
    scene.answers = { a: speaks }
    const response = await ask(scene.leaf('a'), { speed: 1.5, house_rule: 'x' })
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.equal('audio/mpeg')
    expect(response.headers.get('x-vendor')).to.equal('v')
    expect(response.headers.get('set-cookie')).to.equal(null)
    expect(response.headers.get('x-gateway-provider')).to.equal('openai')
    expect(response.headers.get('x-gateway-cache-status')).to.equal('DISABLED')
    expect(await bytesOf(response)).to.deep.equal(sound)
    const { path: asked, json, headers } = scene.seen('a')
    expect(asked).to.equal('/a/v1/audio/speech')
    expect(json).to.deep.equal({ ...body, speed: 1.5, house_rule: 'x' })
    expect(headers).to.include({ accept: '*/*', 'content-type': 'application/json' })
  })

  it("begins before the upstream's answer is complete", async () => {
    let upstream: ServerResponse | undefined
    scene.answers = {
      a(_request, response) {
        upstream = response
        response.writeHead(200, { 'content-type': 'audio/mpeg' })
        response.write(sound.subarray(0, 500))
      },
    }
    const response = await ask(scene.leaf('a'))
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(Buffer.from(first?.value ?? [])).to.deep.equal(sound.subarray(0, 500))
    upstream?.end(sound.subarray(500))
    const second = await reader?.read()
    expect(Buffer.from(second?.value ?? [])).to.deep.equal(sound.subarray(500))
    expect((await reader?.read())?.done).to.equal(true)
  })

  it('is aborted and logged when the upstream breaks off', async () => {
    scene.answers = {
      a(_request, response) {
        response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': sound.length })
        response.write(sound.subarray(0, 500), () => response.destroy())
      },
    }
    const logged = scene.gateway.logs.length
    const response = await ask(scene.leaf('a'))
    const error = await bytesOf(response).catch((reason: Error) => reason)
    expect(error).to.be.instanceOf(Error)
    const line = await until('the line of the request', () =>
      scene.gateway.logs.slice(logged).find(({ path }) => path),
    )
    expect(line).to.include({ status: 200, stream_error: 'upstream_invalid_response' })
    expect(line).not.to.have.property('outcome')
  })

  it('is cancelled when the client disconnects', async () => {
    let closed = false
    scene.answers = {
      a(_request, response) {
        response.writeHead(200, { 'content-type': 'audio/mpeg' })
        response.write(sound)
        response.on('close', () => {
          closed = true
        })
      },
    }
    const response = await ask(scene.leaf('a'))
    await response.body?.cancel()
    await until('the end of the call', () => closed)
  })

  it('that fails before its first byte falls back to the next target', async () => {
    scene.answers = {
      a(_request, response) {
        response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 10 })
        response.flushHeaders()
        // The headers have been sent by then.
        setImmediate(() => response.destroy())
      },
      b: speaks,
    }
    const response = await ask(tree('fallback', [scene.leaf('a'), scene.leaf('b')]))
    expect(await bytesOf(response)).to.deep.equal(sound)
    expect(response.headers.get('x-gateway-last-used-option-index')).to.equal('config.targets[1]')
  })

  it('is retried', async () => {
    scene.answers = { a: [500, speaks] }
    const response = await ask(scene.leaf('a', { retry: { attempts: 1 } }))
    expect(await bytesOf(response)).to.deep.equal(sound)
    expect(response.headers.get('x-gateway-retry-attempt-count')).to.equal('1')
  })

  it('is never cached', async () => {
    scene.answers = { a: speaks }
    for (let count = 0; count < 2; count += 1) {
      const response = await ask(scene.leaf('a', { cache: { mode: 'simple' } }))
      expect(response.headers.get('x-gateway-cache-status')).to.equal('DISABLED')
      await response.arrayBuffer()
    }
    expect(scene.calls()).to.deep.equal(['a', 'a'])
  })

  it('as server-sent events is returned as server-sent events', async () => {
    scene.answers = {
      a: (_request, response) =>
        sendEvents(response, [
          'data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n',
          'data: {"type":"speech.audio.done","usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}\n\n',
        ]),
    }
    const logged = scene.gateway.logs.length
    const response = await ask(scene.leaf('a'), { stream_format: 'sse' })
    expect(response.headers.get('content-type')).to.equal('text/event-stream')
    expect(await response.text()).to.equal(
      'data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n' +
        'data: {"type":"speech.audio.done","usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}\n\n' +
        'data: [DONE]\n\n',
    )
    const line = await until('the line of the request', () =>
      scene.gateway.logs.slice(logged).find(({ path }) => path),
    )
    expect(line).to.include({ endpoint: 'createSpeech', prompt_tokens: 3, completion_tokens: 9 })
  })

  it('as server-sent events has no regular end when the upstream breaks off', async () => {
    scene.answers = {
      a: (_request, response) =>
        sendEvents(response, ['data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n']),
    }
    const text = await (await ask(scene.leaf('a'), { stream_format: 'sse' })).text()
    expect(text).to.contain('upstream_invalid_response').and.not.to.contain('[DONE]')
  })

  it("returns the provider's errors in the OpenAI-compatible error format", async () => {
    scene.answers = {
      a: (_request, response) =>
        sendJson(response, 400, { error: { message: 'No such voice.', param: 'voice' } }),
    }
    const response = await ask(scene.leaf('a'))
    expect(response.status).to.equal(400)
    expect(response.headers.get('content-type')).to.equal('application/json')
    expect(await response.json()).to.deep.equal({
      error: { message: 'No such voice.', type: 'upstream_error', param: 'voice', code: 'upstream_error' },
      provider: 'openai',
    })
  })

  it('is refused with 400 for a provider without speech', async () => {
    const response = await ask({ provider: 'anthropic', api_key: 'k', custom_host: scene.hostOf('a') })
    expect(response.status).to.equal(400)
    expect(await response.json()).to.have.nested.property('error.code', 'unsupported_endpoint')
  })

  const guard = (extra: object = {}) => ({
    deny: true,
    contains: { operator: 'none', words: ['secret'] },
    ...extra,
  })

  it('is checked by input guardrails on its text', async () => {
    scene.answers = { a: speaks }
    const config = scene.leaf('a', { input_guardrails: [guard()] })
    for (const text of [{ input: 'A secret.' }, { instructions: 'Say a secret.' }]) {
      expect((await ask(config, text)).status).to.equal(446)
    }
    expect(scene.calls()).to.deep.equal([])
    expect((await ask(config)).status).to.equal(200)
  })

  it('with a failed guardrail that does not deny returns 246 and the same audio', async () => {
    scene.answers = { a: speaks }
    const response = await ask(scene.leaf('a', { input_guardrails: [guard({ deny: false })] }), {
      input: 'A secret.',
    })
    expect(response.status).to.equal(246)
    expect(await bytesOf(response)).to.deep.equal(sound)
  })

  it('skips output guardrails, which cannot read audio', async () => {
    scene.answers = { a: speaks }
    const response = await ask(scene.leaf('a', { output_guardrails: [guard()] }))
    expect(await bytesOf(response)).to.deep.equal(sound)
  })

  const refused: [change: object, param: string][] = [
    [{ input: undefined }, '/input'],
    [{ input: '' }, '/input'],
    [{ model: undefined }, '/model'],
    [{ voice: 7 }, '/voice'],
    [{ voice: { name: 'x' } }, '/voice/id'],
    [{ speed: 5 }, '/speed'],
    [{ speed: 0.1 }, '/speed'],
    [{ stream_format: 'xml' }, '/stream_format'],
    [{ response_format: 1 }, '/response_format'],
  ]
  for (const [change, param] of refused) {
    it(`is refused with 400 and the path for ${JSON.stringify(change, (_key, value) => value ?? '(absent)')}`, async () => {
      const response = await ask({ provider: 'echo' }, change as Record<string, unknown>)
      expect(response.status).to.equal(400)
      const { error } = (await response.json()) as { error: { code: string; param: string } }
      expect(error).to.include({ code: 'invalid_body', param })
    })
  }
})
