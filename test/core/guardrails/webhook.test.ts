/** The webhook check through the gateway: the calls that the endpoint receives, and the effect of its answers. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { answerOk, type Handler, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { contentOf, hooksOf, openGuarded } from './fixtures/open.ts'

describe('a webhook', () => {
  const scene = openGuarded()
  let service: Upstream
  before(async () => {
    service = await openUpstream()
  })
  after(() => service.close())
  beforeEach(() => {
    service.seen.length = 0
    service.handle(answers({ verdict: true }))
  })

  const answers =
    (body: unknown, status = 200): Handler =>
    (_request, response) =>
      sendJson(response, status, body)
  const hook = (rest: object = {}, parameters: object = {}) => ({
    id: 'hook',
    ...rest,
    webhook: { webhookURL: `${service.origin}/judge`, ...parameters },
  })

  it('receives the request', async () => {
    const body = chat('a question', { temperature: 0.5 })
    const config = scene.leaf('a', {
      input_guardrails: [hook({}, { headers: { 'x-secret': 'of the endpoint' } })],
    })
    await scene.ask(config, { body, headers: { 'x-gateway-metadata': '{"plan":"pro"}' } })
    const [seen] = service.seen
    expect(seen).to.deep.include({ method: 'POST', path: '/judge' })
    expect(seen?.headers).to.include({ 'x-secret': 'of the endpoint', 'content-type': 'application/json' })
    expect(seen?.json).to.deep.equal({
      request: { json: body, text: 'a question' },
      response: { json: null, text: '', status: null },
      provider: 'openai',
      requestType: 'chatComplete',
      metadata: { plan: 'pro' },
      eventType: 'beforeRequestHook',
    })
  })

  it('receives the answer', async () => {
    const reply = await scene.ask(scene.leaf('a', { output_guardrails: [hook()] }), {
      body: chat('a question'),
    })
    expect(reply.status).to.equal(200)
    const told = service.seen[0]?.json as Record<string, Record<string, unknown>>
    expect(told).to.deep.include({
      provider: 'openai',
      requestType: 'chatComplete',
      eventType: 'afterRequestHook',
    })
    expect(told.request).to.deep.equal({ json: chat('a question'), text: 'a question' })
    expect(told.response).to.deep.include({ text: 'ok', status: 200 })
    expect(told.response?.json).to.have.nested.property('choices[0].message.content', 'ok')
  })

  it('receives no credential of the request', async () => {
    const headers = {
      authorization: 'Bearer canary-authorization',
      cookie: 'session=canary-cookie',
      'x-api-key': 'canary-bare',
      'x-gateway-clouda-secret-access-key': 'canary-cloud',
    }
    const config = scene.leaf('a', {
      api_key: 'canary-config',
      input_guardrails: [hook()],
      output_guardrails: [hook()],
    })
    expect((await scene.ask(config, { headers })).status).to.equal(200)
    expect(service.seen).to.have.length(2)
    for (const { headers: sent, text } of service.seen) {
      expect(text + JSON.stringify(sent))
        .not.to.contain('canary')
        .and.not.to.contain('test-admin-key')
    }
  })

  it('denies by its verdict, and its data is returned', async () => {
    service.handle(answers({ verdict: false, data: { rule: 7 } }))
    const reply = await scene.ask(scene.leaf('a', { input_guardrails: [hook({ deny: true })] }))
    expect(reply.status).to.equal(446)
    expect(hooksOf(reply).before_request_hooks[0]?.checks[0]?.data).to.deep.equal({ rule: 7 })
  })

  describe('that returns no verdict', () => {
    const failures: [name: string, handler: Handler, parameters?: object][] = [
      ['a status that is not 2xx', answers({ verdict: false }, 500)],
      ['a redirect', (_request, response) => void response.writeHead(307, { location: '/other' }).end()],
      ['no JSON', (_request, response) => void response.end('<html>')],
      ['no verdict', answers({ data: 1 })],
      ['a verdict that is not a boolean', answers({ verdict: 'false' })],
      ['a connection that is cut', (_request, response) => void response.destroy()],
      ['no answer in its time', () => undefined, { timeout: 20 }],
    ]
    for (const [name, handler, parameters] of failures) {
      it(`passes, and denies with fail_closed: ${name}`, async () => {
        service.handle(handler)
        const passed = await scene.ask(
          scene.leaf('a', { input_guardrails: [hook({ deny: true }, parameters)] }),
        )
        expect(passed.status).to.equal(200)
        expect(hooksOf(passed).before_request_hooks[0]?.checks[0]?.error).to.have.all.keys('name', 'message')
        expect(passed.text).not.to.contain(new URL(service.origin).host)
        const strict = hook({ deny: true, fail_closed: true }, parameters)
        expect((await scene.ask(scene.leaf('a', { input_guardrails: [strict] }))).status).to.equal(446)
      })
    }

    it('passes when its address refuses connections', async () => {
      const gone = await openUpstream()
      await gone.close()
      const strict = { id: 'x', deny: true, webhook: { webhookURL: gone.origin } }
      const reply = await scene.ask(scene.leaf('a', { input_guardrails: [strict] }))
      expect(reply.status).to.equal(200)
      expect(hooksOf(reply).before_request_hooks[0]?.checks[0]?.error?.name).to.equal(
        'dependency_unavailable',
      )
    })
  })

  it('causes no error when it times out or the caller disconnects after its answer', async () => {
    const quick = scene.leaf('a', { input_guardrails: [hook({}, { timeout: 20 })] })
    await scene.ask(quick)
    // Its own timeout expires after that of the first one: an error of the first would be uncaught here.
    service.handle(() => undefined)
    await scene.ask(quick)

    service.handle(answers({ verdict: true }))
    const caller = new AbortController()
    scene.answers.a = () => caller.abort()
    const asking = fetch(`${scene.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: caller.signal,
      headers: {
        authorization: 'Bearer test-admin-key-0123456789',
        'content-type': 'application/json',
        'x-gateway-config': JSON.stringify(scene.leaf('a', { input_guardrails: [hook()] })),
      },
      body: JSON.stringify(chat()),
    })
    expect(await asking.catch((error: Error) => error.name)).to.equal('AbortError')
    scene.answers.a = answerOk
    expect((await scene.ask(quick)).status).to.equal(200)
  })

  describe('that sends transformed data', () => {
    const messages = [{ role: 'user', content: 'changed' }]
    const sent = () => scene.seen('a').json

    for (const type of ['mutator', 'guardrail']) {
      it(`changes the request: as a ${type}`, async () => {
        const transformedData = { request: { json: { model: 'other', messages } } }
        service.handle(answers({ verdict: true, transformedData }))
        const reply = await scene.ask(scene.leaf('a', { input_guardrails: [hook({ type })] }))
        expect(reply.status).to.equal(200)
        expect(sent()).to.deep.equal({ model: 'other', messages })
        expect(hooksOf(reply).before_request_hooks[0]).to.include({ type, transformed: true })
      })

      it(`changes the answer: as a ${type}`, async () => {
        const choices = [
          { index: 0, message: { role: 'assistant', content: 'changed' }, finish_reason: 'stop' },
        ]
        service.handle(answers({ verdict: true, transformedData: { response: { json: { choices } } } }))
        const reply = await scene.ask(scene.leaf('a', { output_guardrails: [hook({ type })] }))
        expect(contentOf(reply)).to.equal('changed')
        expect(hooksOf(reply).after_request_hooks[0]).to.include({ type, transformed: true })
      })
    }

    it('does not undo the changes of another guardrail', async () => {
      service.handle((request, response) => {
        const { request: given } = request.json as { request: { json: { messages: { content: string }[] } } }
        const number = request.path.slice(1)
        const changed = given.json.messages.map((message) => ({
          ...message,
          content: message.content.replace(number, `[${number.length}]`),
        }))
        sendJson(response, 200, {
          verdict: true,
          transformedData: { request: { json: { ...given.json, messages: changed } } },
        })
      })
      const redact = (text: string) => ({ id: text, webhook: { webhookURL: `${service.origin}/${text}` } })
      await scene.ask(scene.leaf('a', { input_guardrails: [redact('123'), redact('4567')] }), {
        body: chat('123 and 4567'),
      })
      expect(sent()?.messages).to.deep.equal([{ role: 'user', content: '[3] and [4]' }])
    })

    it('that would be an invalid body is an error of the check', async () => {
      service.handle(answers({ verdict: true, transformedData: { request: { json: { messages: 'none' } } } }))
      const passed = await scene.ask(scene.leaf('a', { input_guardrails: [hook({ type: 'mutator' })] }))
      expect(passed.status).to.equal(200)
      expect(sent()).to.deep.equal(chat())
      expect(hooksOf(passed).before_request_hooks[0]?.checks[0]?.error?.name).to.equal('invalid_body')
      const strict = hook({ type: 'mutator', deny: true, fail_closed: true })
      expect((await scene.ask(scene.leaf('a', { input_guardrails: [strict] }))).status).to.equal(446)
    })

    it('changes nothing when its verdict denies', async () => {
      const transformedData = { request: { json: { model: 'other', messages } } }
      service.handle(answers({ verdict: false, transformedData }))
      const denied = await scene.ask(scene.leaf('a', { input_guardrails: [hook({ deny: true })] }))
      expect(denied.status).to.equal(446)
      expect(scene.calls()).to.deep.equal([])
    })
  })
})
