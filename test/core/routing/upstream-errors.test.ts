/** Upstream errors in the gateway's format: status kept, without credentials and hosts. */
import { expect } from 'chai'
import { type Answering, answerWith, hangUp, openScene, type Reply } from '../../support/scene.ts'
import { sendJson } from '../../support/upstream.ts'

const says =
  (status: number, body: unknown): Answering =>
  (_request, response) =>
    sendJson(response, status, body)
const saysText =
  (status: number, text: string): Answering =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(text)

describe('an upstream error', () => {
  const scene = openScene((origin) => ({
    providers: {
      stored: { provider: 'openai', api_key: 'sk-stored-secret', custom_host: `${origin}/a/v1` },
    },
  }))

  interface Row {
    what: string
    answer: Answering
    status: number
    error: Record<string, unknown>
  }
  const rows: Row[] = [
    {
      what: 'in the compatible shape',
      answer: says(429, {
        error: { message: 'slow down', type: 'rate', param: 'model', code: 'rate_limit' },
      }),
      status: 429,
      error: { message: 'slow down', type: 'rate', param: 'model', code: 'rate_limit' },
    },
    {
      what: 'without a code',
      answer: says(400, { error: { message: 'no such model', type: 'invalid_request_error', code: null } }),
      status: 400,
      error: {
        message: 'no such model',
        type: 'invalid_request_error',
        param: null,
        code: 'upstream_error',
      },
    },
    {
      what: 'with only a message',
      answer: says(403, { error: 'not for you' }),
      status: 403,
      error: { message: 'not for you', type: 'upstream_error', param: null, code: 'upstream_error' },
    },
    {
      what: 'after a byte order mark',
      answer: saysText(400, '\uFEFF{"error":{"message":"no such model"}}'),
      status: 400,
      error: { message: 'no such model', type: 'upstream_error', param: null, code: 'upstream_error' },
    },
    {
      what: 'with an empty message',
      answer: says(500, { error: { message: '' } }),
      status: 500,
      error: {
        message: 'The provider answered 500.',
        type: 'upstream_error',
        param: null,
        code: 'upstream_error',
      },
    },
    {
      what: 'with a message at the root',
      answer: says(422, { message: 'cannot', detail: 'more' }),
      status: 422,
      error: { message: 'cannot', type: 'upstream_error', param: null, code: 'upstream_error' },
    },
  ]
  for (const { what, answer, status, error } of rows) {
    it(`${what} is converted to the OpenAI-compatible format`, async () => {
      scene.answers = { a: answer }
      const reply = await scene.ask(scene.leaf('a'))
      expect(reply.status).to.equal(status)
      expect(reply.body).to.deep.equal({ error, provider: 'openai' })
      expect(reply.headers.get('content-type')).to.contain('application/json')
    })
  }

  const unreadable: Record<string, Answering> = {
    'that is a page': saysText(500, '<html>nginx on 10.0.0.7</html>'),
    'that is empty': saysText(503, ''),
    'that is a list': says(500, ['x']),
    'that has no message': says(418, { error: { nested: { deep: true } } }),
  }
  for (const [what, answer] of Object.entries(unreadable)) {
    it(`${what} keeps only its status`, async () => {
      scene.answers = { a: answer }
      const reply = await scene.ask(scene.leaf('a'))
      expect(reply.status).to.be.oneOf([418, 500, 503])
      expect(reply.body.provider).to.equal('openai')
      expect(reply.error).to.include({ type: 'upstream_error', param: null, code: 'upstream_error' })
      expect(reply.error.message).to.be.a('string').that.is.not.empty
      expect(reply.text).not.to.match(/nginx|10\.0\.0\.7|nested/)
    })
  }

  describe('does not contain', () => {
    const expectClean = (reply: Reply) => {
      expect(reply.text).not.to.contain('sk-stored-secret')
      expect(reply.text).not.to.contain('127.0.0.1')
      expect(reply.text).not.to.contain(new URL(scene.upstream.origin).port)
    }
    const leaks: Record<string, () => unknown> = {
      'the credential in its message': () => ({ error: { message: 'Incorrect API key sk-stored-secret' } }),
      'the host in its message': () => ({ error: { message: `at ${scene.upstream.origin}/a/v1/chat` } }),
      'the host without its port': () => ({ error: { message: 'connect ECONNREFUSED 127.0.0.1' } }),
      'the credential in its code and param': () => ({
        error: {
          message: 'm',
          code: 'x-sk-stored-secret',
          param: 'sk-stored-secret',
          type: 'sk-stored-secret',
        },
      }),
    }
    for (const [what, body] of Object.entries(leaks)) {
      it(`${what}`, async () => {
        scene.answers = { a: says(401, body()) }
        const reply = await scene.ask({ provider: '@stored' })
        expect(reply.status).to.equal(401)
        expectClean(reply)
      })
    }

    it('the host when the connection fails', async () => {
      scene.answers = { a: hangUp }
      const reply = await scene.ask({ provider: '@stored' })
      expect(reply.status).to.equal(502)
      expect(reply.error).to.include({ type: 'upstream_error', code: 'upstream_unreachable', param: null })
      expectClean(reply)
    })
  })

  it('keeps its headers, except those of the connection', async () => {
    scene.answers = { a: answerWith(429, { 'retry-after': '3', 'x-request-id': 'r1', 'set-cookie': 'a=b' }) }
    const { headers } = await scene.ask(scene.leaf('a'))
    expect(headers.get('retry-after')).to.equal('3')
    expect(headers.get('x-gateway-provider-request-id')).to.equal('r1')
    expect(headers.get('set-cookie')).to.equal(null)
  })

  describe('in an invalid form', () => {
    const unreadableAnswers: Record<string, Answering> = {
      'no JSON': saysText(200, 'ok'),
      'a list': says(200, []),
      'a text': says(200, 'ok'),
      nothing: saysText(200, ''),
      'cut off': (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{')
        setImmediate(() => response.destroy())
      },
    }
    for (const [what, answer] of Object.entries(unreadableAnswers)) {
      it(`is 502 for an answer that is ${what}`, async () => {
        scene.answers = { a: answer }
        const { status, error } = await scene.ask(scene.leaf('a'))
        expect({ status, type: error.type, code: error.code }).to.deep.equal({
          status: 502,
          type: 'upstream_error',
          code: 'upstream_invalid_response',
        })
      })
    }

    for (const status of [301, 302, 303, 307, 308]) {
      it(`is 502 for a redirect (${status}), which is not followed`, async () => {
        scene.answers = { a: answerWith(status, { location: scene.hostOf('b') }) }
        const reply = await scene.ask(scene.leaf('a'))
        expect(reply.status).to.equal(502)
        expect(reply.error.code).to.equal('upstream_invalid_response')
        expect(reply.headers.get('location')).to.equal(null)
        expect(scene.calls()).to.deep.equal(['a'])
      })
    }
  })
})
