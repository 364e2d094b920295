/**
 * Errors on `/v1/messages` have the gateway's format with `"type": "error"`, which its clients expect, even in streams.
 */
import { expect } from 'chai'
import { openScene } from '../../support/scene.ts'
import { chatChunk, sendEvents, sendJson } from '../../support/upstream.ts'
import { ask, askMessages, eventsOf, kinds, named, openEvents, targetOf, textOf } from './fixtures.ts'

const chunk = (delta: Record<string, unknown>) => `data: ${JSON.stringify(chatChunk(delta))}\n\n`
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

describe('errors on /v1/messages', () => {
  const scene = openScene()
  const streamed = ask('x', { stream: true })

  it('have the type error, whatever failed', async () => {
    const { gateway } = scene
    const json = { 'content-type': 'application/json' }
    const asked: [what: string, response: Promise<Response>, status: number, code: string][] = [
      [
        'a wrong key',
        gateway.post('/v1/messages', ask(), { 'x-gateway-api-key': 'no' }),
        401,
        'invalid_api_key',
      ],
      [
        'no key',
        fetch(`${gateway.url}/v1/messages`, { method: 'POST', headers: json, body: '{}' }),
        401,
        'missing_api_key',
      ],
      ['no JSON', gateway.post('/v1/messages', '{'), 400, 'invalid_json'],
      ['no provider', gateway.post('/v1/messages/', ask()), 400, 'no_provider'],
      ['another method', gateway.get('/v1/messages'), 405, 'method_not_allowed'],
      ['a count', gateway.post('/v1/messages/count_tokens', ask()), 400, 'no_provider'],
    ]
    for (const [what, response, status, code] of asked) {
      const body = (await (await response).json()) as Record<string, unknown>
      expect([(await response).status, body.type], what).to.deep.equal([status, 'error'])
      expect(body.error, what).to.include({ code })
    }
  })

  it('have no such type on other endpoints', async () => {
    const reply = await scene.ask(scene.leaf('a'), { body: {} })
    expect(reply.status).to.equal(400)
    expect(reply.body).not.to.have.property('type')
  })

  it("are the vendor's own, with its status", async () => {
    const body = {
      type: 'error',
      error: { type: 'not_found_error', message: 'model: x' },
      request_id: 'req_1',
    }
    scene.answers.a = (_request, response) => sendJson(response, 404, body)
    const reply = await askMessages(scene, targetOf(scene, 'native', { name: 'a' }))
    expect(reply.status).to.equal(404)
    expect(reply.body).to.deep.equal({
      type: 'error',
      error: { message: 'model: x', type: 'not_found_error', param: null, code: 'upstream_error' },
      provider: 'anthropic',
    })
  })

  it('of a chat provider keep its status and its retry-after', async () => {
    scene.answers.a = (_request, response) =>
      sendJson(
        response,
        { status: 429, headers: { 'retry-after': '7' } },
        { error: { message: 'slow', type: 'rate', code: 'too_fast' } },
      )
    const reply = await askMessages(scene, targetOf(scene, 'translated', { name: 'a' }), { body: streamed })
    expect([reply.status, reply.body.type, reply.error.code]).to.deep.equal([429, 'error', 'too_fast'])
    expect(reply.headers.get('retry-after')).to.equal('7')
    expect(reply.headers.get('content-type')).to.contain('application/json')
  })

  it('before any content become plain answers with the status of their type', async () => {
    scene.answers.a = (_request, response) =>
      sendEvents(response, [...openEvents().slice(0, 3), named(overloaded as never)])
    const reply = await askMessages(scene, targetOf(scene, 'native', { name: 'a' }), { body: streamed })
    expect([reply.status, reply.error.type, reply.error.message]).to.deep.equal([
      529,
      'overloaded_error',
      'Overloaded',
    ])
  })

  const broken = {
    native: [...openEvents('one', 'two').slice(0, 5), named(overloaded as never)],
    translated: [
      chunk({ content: 'one' }),
      chunk({ content: 'two' }),
      'data: {"error":{"message":"Overloaded","code":"x"}}\n\n',
    ],
  }
  const cut = {
    native: openEvents('one', 'two'),
    translated: [chunk({ content: 'one' }), chunk({ content: 'two' })],
  }
  for (const kind of kinds) {
    it(`in a stream are its last event, and it never looks complete: ${kind}`, async () => {
      scene.answers.a = (_request, response) => sendEvents(response, broken[kind])
      const reply = await askMessages(scene, targetOf(scene, kind, { name: 'a' }), { body: streamed })
      expect(reply.status).to.equal(200)
      expect(textOf(reply)).to.equal('onetwo')
      const last = eventsOf(reply).at(-1)
      expect(last?.name).to.equal('error')
      expect(last?.data).to.deep.include({
        type: 'error',
        provider: kind === 'native' ? 'anthropic' : 'openai',
      })
      expect(last?.data.error).to.include({ message: 'Overloaded' })
      expect(reply.text).not.to.contain('message_stop')
      expect(scene.gateway.logs.at(-1)).to.have.property('stream_error')
    })

    it(`report a stream that breaks off: ${kind}`, async () => {
      scene.answers.a = (_request, response) => sendEvents(response, cut[kind])
      const reply = await askMessages(scene, targetOf(scene, kind, { name: 'a' }), { body: streamed })
      const last = eventsOf(reply).at(-1)
      expect(last?.name).to.equal('error')
      expect(last?.data).to.deep.include({ type: 'error' })
      expect(last?.data.error).to.include({ code: 'upstream_invalid_response' })
      expect(reply.text).not.to.contain('message_stop')
    })

    it(`report a provider that cannot be reached: ${kind}`, async () => {
      scene.answers.a = (_request, response) => {
        response.destroy()
      }
      const reply = await askMessages(scene, targetOf(scene, kind, { name: 'a' }))
      expect([reply.status, reply.body.type, reply.error.code]).to.deep.equal([
        502,
        'error',
        'upstream_unreachable',
      ])
    })
  }
})
