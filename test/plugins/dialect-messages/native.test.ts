/** `/v1/messages` at a provider with the same API, to which it is forwarded byte for byte. */
import { expect } from 'chai'
import { openScene } from '../../support/scene.ts'
import { sendEvents, sendJson } from '../../support/upstream.ts'
import { ask, askMessages, message, named, openEvents, says, stopEvent, targetOf } from './fixtures.ts'

describe('/v1/messages at a provider with the same API', () => {
  const scene = openScene()
  const config = (extra = {}) => targetOf(scene, 'native', { name: 'a', extra })

  it("forwards the original bytes, and returns the provider's bytes", async () => {
    const answer = message('hi', { content: [{ type: 'text', text: 'hi', novelty: 1 }] })
    scene.answers.a = (_request, response) =>
      sendJson(response, { status: 200, headers: { 'request-id': 'req_1' } }, answer)
    const body = ask('hello', { thinking: { type: 'enabled', budget_tokens: 2000 }, top_k: 3, novelty: [1] })
    const reply = await askMessages(scene, config(), { body })
    const seen = scene.seen('a')
    expect(seen.path).to.equal('/a/v1/messages')
    expect(seen.text).to.equal(JSON.stringify(body))
    expect(reply.text).to.equal(JSON.stringify(answer))
    expect(reply.headers.get('request-id')).to.equal('req_1')
    expect(reply.headers.get('x-gateway-provider')).to.equal('anthropic')
  })

  it('sends the credential and the default API version', async () => {
    await askMessages(scene, config())
    expect(scene.seen('a').headers).to.include({ 'x-api-key': 'sk-test', 'anthropic-version': '2023-06-01' })
    expect(scene.seen('a').headers).not.to.have.any.keys(
      'anthropic-beta',
      'authorization',
      'x-gateway-config',
    )
  })

  it("forwards the caller's API version and beta features, and no other unlisted header", async () => {
    scene.answers.a = says('ok')
    const headers = { 'anthropic-version': '2023-01-01', 'anthropic-beta': 'a-1,b-2', 'x-other': 'x' }
    await askMessages(scene, config(), { body: ask(), headers })
    const { 'x-other': _, ...passed } = headers
    expect(scene.seen('a').headers).to.include(passed).and.not.to.have.property('x-other')
    await scene.ask(config(), { headers })
    expect(scene.seen('a').headers).to.include({ 'anthropic-version': '2023-06-01' })
    expect(scene.seen('a').headers).not.to.have.property('anthropic-beta')
  })

  it('forwards none of these headers to a provider of chat completions', async () => {
    await askMessages(scene, targetOf(scene, 'translated', { name: 'b' }), {
      body: ask(),
      headers: { 'anthropic-beta': 'a-1' },
    })
    expect(scene.seen('b').headers).not.to.have.property('anthropic-beta')
  })

  it('streams the original bytes, up to message_stop', async () => {
    const events = [...openEvents('hel', 'lo'), stopEvent]
    scene.answers.a = (_request, response) =>
      sendEvents(response, [...events, 'data: [DONE]\n\n', named({ type: 'ping' })])
    const reply = await askMessages(scene, config(), { body: ask('x', { stream: true }) })
    expect(reply.headers.get('content-type')).to.equal('text/event-stream')
    expect(reply.text).to.equal(events.join(''))
  })

  it('streams the same bytes, however they are split', async () => {
    const events = [...openEvents('hé', 'message_stop "error"'), stopEvent]
    const bytes = Buffer.from(events.join(''))
    for (const every of [1, 7, 100, 333]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / every) }, (_, index) =>
        bytes.subarray(index * every, (index + 1) * every),
      )
      scene.answers.a = (_request, response) => sendEvents(response, pieces)
      const reply = await askMessages(scene, config(), { body: ask('x', { stream: true }) })
      expect(reply.text, `every ${every}`).to.equal(events.join(''))
    }
  })

  it('recognises the end of a stream without event names', async () => {
    const events = [...openEvents('a'), stopEvent].map((event) => event.replace(/^event: .*\n/, ''))
    scene.answers.a = (_request, response) => sendEvents(response, events)
    const reply = await askMessages(scene, config(), { body: ask('x', { stream: true }) })
    expect(reply.text).to.contain('"message_stop"').and.not.to.contain('event: error')
  })

  it('logs the tokens, including cached tokens', async () => {
    const usage = {
      input_tokens: 3,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 500,
      output_tokens: 2,
    }
    scene.answers.a = [
      (_request, response) => sendJson(response, 200, message('a', { usage })),
      (_request, response) => {
        const start = named({ type: 'message_start', message: message('', { content: [], usage }) })
        sendEvents(response, [start, ...openEvents('a').slice(1), stopEvent])
      },
    ]
    for (const stream of [false, true]) {
      await askMessages(scene, config(), { body: ask('x', { stream }) })
      expect(scene.gateway.logs.at(-1)).to.include({
        endpoint: 'messages',
        prompt_tokens: 543,
        completion_tokens: 2,
      })
    }
  })
})
