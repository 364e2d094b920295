/** Client formats are packages: a gateway without one works, and does not know its paths. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { adminKey, chat, configHeader, json, startGateway, type TestGateway } from '../support/gateway.ts'
import { objectOf } from '../support/openapi.ts'

const user = [{ role: 'user', content: 'hello' }]

/** The name for `plugins.disabled`, and a request of the format. */
const formats = [
  {
    disabled: ['@gateway/dialect-gemini', 'dialect-messages'],
    path: '/v1beta/models/@echo/echo-1:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
    root: '/v1beta',
  },
  {
    disabled: ['dialect-gemini', '@gateway/dialect-messages'],
    path: '/v1/messages',
    body: { model: '@echo/echo-1', max_tokens: 10, messages: user },
    root: '/v1/messages',
  },
  {
    disabled: ['dialect-responses'],
    path: '/v1/responses',
    body: { model: '@echo/echo-1', input: 'hello' },
    root: '/v1/responses',
  },
]

for (const { disabled, path, body, root } of formats) {
  describe(`a gateway with plugins.disabled: [${disabled.join(', ')}]`, () => {
    let gateway: TestGateway
    before(async () => {
      gateway = await startGateway({ plugins: { disabled } })
    })
    after(() => gateway.stop())

    it(`answers 404 at ${path}`, async () => {
      const response = await gateway.post(path, body)
      expect(response.status).to.equal(404)
      expect((await json(response)).error).to.include({ code: 'not_found' })
    })

    it('answers chat requests', async () => {
      const response = await gateway.post('/v1/chat/completions', chat(), configHeader({ provider: 'echo' }))
      expect(response.status).to.equal(200)
    })

    it(`describes no path below ${root}`, async () => {
      const { paths } = await json(await gateway.get('/v1/openapi.json'))
      const described = Object.keys(objectOf(paths))
      expect(described).to.include('/v1/chat/completions')
      expect(described.filter((each) => each.startsWith(root))).to.deep.equal([])
    })
  })
}

describe('a gateway without the Responses format', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ plugins: { disabled: ['dialect-responses'] } })
  })
  after(() => gateway.stop())

  it('answers 404 to its WebSocket', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, {
      headers: { authorization: `Bearer ${adminKey}` },
    })
    socket.on('error', () => undefined)
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    expect(response.statusCode).to.equal(404)
    socket.terminate()
  })

  it('runs a guardrail on a request with an input', async () => {
    const ran = await gateway.post('/v1/guardrails/invoke', {
      hook: 'beforeRequestHook',
      request: { json: { input: 'tell me a secret' } },
      checks: [{ id: 'default.regexMatch', parameters: { rule: 'secret', not: true } }],
    })
    expect(await json(ran)).to.include({ verdict: false })
  })
})
