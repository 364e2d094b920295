/** Guardrails on proxied requests: they check every text in JSON, and refuse bodies that they cannot check. */
import { expect } from 'chai'
import { sound } from '../../../support/form.ts'
import { adminKey, configHeader } from '../../../support/gateway.ts'
import { openScene } from '../../../support/scene.ts'
import { type Handler, sendJson } from '../../../support/upstream.ts'

const guard = { deny: true, contains: { operator: 'none', words: ['secret'] } }
const redact = { type: 'mutator', regexReplace: { rule: 'secret', redactText: '***' } }

describe('guardrails of the proxy', () => {
  const scene = openScene()
  const ask = (
    config: unknown,
    body: string | Uint8Array<ArrayBuffer> | null,
    { type = 'application/json', method = 'POST' }: { type?: string; method?: string } = {},
  ) =>
    fetch(`${scene.gateway.url}/v1/proxy/things`, {
      method,
      headers: {
        'x-gateway-api-key': adminKey,
        ...configHeader(config),
        ...(body === null ? {} : { 'content-type': type }),
      },
      body,
    })
  const codeOf = async (response: Response) =>
    ((await response.json()) as { error: { code: string } }).error.code

  const denied = [
    '{"messages":[{"role":"user","content":"a secret"}]}',
    '{"contents":[{"parts":[{"text":"a secret"}]}]}',
    '{"a/b":{"~c":["","a secret"]}}',
    // Other parsers may use the first of two values.
    '{"text":"fine","text":"a secret"}',
  ]
  for (const body of denied) {
    it(`deny a text anywhere in the body: ${body}`, async () => {
      const response = await ask(scene.leaf('a', { input_guardrails: [guard] }), body)
      expect(response.status).to.equal(446)
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('forward exactly the body that they checked', async () => {
    await ask(scene.leaf('a', { input_guardrails: [guard] }), '{"text":"a secret", "text":"fine"}')
    expect(scene.seen('a').text).to.equal('{"text":"fine"}')
  })

  it('change a text anywhere in the body', async () => {
    await ask(scene.leaf('a', { input_guardrails: [redact] }), '{"deep":[{"text":"a secret"}],"n":1}')
    expect(scene.seen('a').json).to.deep.equal({ deep: [{ text: 'a ***' }], n: 1 })
  })

  const unread: [what: string, body: string | Uint8Array<ArrayBuffer>, type: string][] = [
    ['bytes', new Uint8Array(sound), 'application/octet-stream'],
    ['a form', 'text=a secret', 'application/x-www-form-urlencoded'],
    ['a list', '["a secret"]', 'application/json'],
    ['half a body', '{"text":"a secret"', 'application/json'],
    ['JSON that does not say so', '{"text":"a secret"}', 'text/plain'],
  ]
  for (const [what, body, type] of unread) {
    it(`refuse ${what}`, async () => {
      const response = await ask(scene.leaf('a', { input_guardrails: [guard] }), body, { type })
      expect(response.status).to.equal(400)
      expect(await codeOf(response)).to.equal('invalid_body')
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('pass a request without a body', async () => {
    const response = await ask(scene.leaf('a', { input_guardrails: [guard] }), null, {
      type: '',
      method: 'GET',
    })
    expect(response.status).to.equal(200)
  })

  const answers =
    (body: unknown, status = 200): Handler =>
    (_request, response) =>
      sendJson(response, status, body)

  it('deny an answer for any of its texts', async () => {
    scene.answers = { a: answers({ candidates: [{ parts: [{ text: 'a secret' }] }] }) }
    const response = await ask(scene.leaf('a', { output_guardrails: [guard] }), '{}')
    expect(response.status).to.equal(446)
    expect(await response.text()).not.to.contain('a secret')
  })

  it('add their verdicts to the answer', async () => {
    scene.answers = { a: answers({ text: 'fine' }) }
    const response = await ask(scene.leaf('a', { output_guardrails: [guard] }), '{}')
    const body = await response.json()
    expect(body).to.have.property('text', 'fine')
    expect(body).to.have.nested.property('hook_results.after_request_hooks[0].verdict', true)
  })

  const unreadAnswers: [what: string, handler: Handler][] = [
    ['a list', answers(['a secret'])],
    [
      'bytes',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' })
        response.end(sound)
      },
    ],
  ]
  for (const [what, handler] of unreadAnswers) {
    it(`refuse an answer that is ${what}`, async () => {
      scene.answers = { a: handler }
      const response = await ask(scene.leaf('a', { output_guardrails: [guard] }), '{}')
      expect(response.status).to.equal(400)
      expect(await codeOf(response)).to.equal('unsupported_endpoint')
    })
  }

  it('refuse a stream before the call', async () => {
    const response = await ask(scene.leaf('a', { output_guardrails: [guard] }), '{"stream":true}')
    expect(await codeOf(response)).to.equal('unsupported_endpoint')
    expect(scene.calls()).to.deep.equal([])
  })

  it('pass an answer without a body', async () => {
    scene.answers = {
      a(_request, response) {
        response.writeHead(204)
        response.end()
      },
    }
    expect((await ask(scene.leaf('a', { output_guardrails: [guard] }), '{}')).status).to.equal(204)
  })
})
