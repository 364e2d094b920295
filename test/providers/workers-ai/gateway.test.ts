/** Workers AI through the gateway, against a local server that answers as the vendor does. */
import { expect } from 'chai'
import {
  chat,
  configHeader,
  json,
  readEvents,
  startGateway,
  type TestGateway,
} from '../../support/gateway.ts'
import { openUpstream, sendEvents, sendJson, type Upstream } from '../../support/upstream.ts'
import { llama, wrapped } from './fixtures.ts'

describe('Workers AI through the gateway', () => {
  let upstream: Upstream
  let gateway: TestGateway

  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  const ask = (more: Record<string, unknown> = {}, path = '/v1/chat/completions') =>
    gateway.post(
      path,
      chat('x', { model: llama, ...more }),
      configHeader({
        provider: 'workers-ai',
        api_key: 'token-1',
        custom_host: `${upstream.origin}/client/v4/accounts/0a1b/ai/run`,
      }),
    )
  const seen = () => upstream.seen.at(-1)

  it('runs the model and returns its answer', async () => {
    upstream.handle((_, response) => sendJson(response, 200, wrapped({ response: 'ok' })))
    const response = await ask()
    expect(response.status).to.equal(200)
    expect(await json(response)).to.have.nested.property('choices[0].message.content', 'ok')
    expect(seen()?.path).to.equal(`/client/v4/accounts/0a1b/ai/run/${llama}`)
    expect(seen()?.headers.authorization).to.equal('Bearer token-1')
    expect(seen()?.json).to.deep.equal({ messages: [{ role: 'user', content: 'x' }] })
  })

  it('streams', async () => {
    const events = ['{"response":"o","p":"abc"}', '{"response":"k"}', '{"response":""}', '[DONE]']
    upstream.handle((_, response) =>
      sendEvents(
        response,
        events.map((data) => `data: ${data}\n\n`),
      ),
    )
    const read = await readEvents(await ask({ stream: true }))
    expect(read.at(-1)).to.equal('[DONE]')
    const deltas = read.slice(0, -1).map((event) => JSON.parse(event).choices[0].delta.content ?? '')
    expect(deltas.join('')).to.equal('ok')
  })

  it('returns an image that arrives as bytes', async () => {
    const png = Buffer.from('iVBORw0KGgo=', 'base64')
    upstream.handle((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' })
      response.end(png)
    })
    const body = { model: '@cf/lykon/dreamshaper-8-lcm', prompt: 'P', response_format: 'b64_json' }
    const response = await ask(body, '/v1/images/generations')
    expect(await json(response)).to.have.nested.property('data[0].b64_json', png.toString('base64'))
  })

  it('keeps status, code and message of an error', async () => {
    const errors = [{ code: 7009, message: 'No such model' }]
    upstream.handle((_, response) => sendJson(response, 404, { success: false, errors, result: null }))
    const response = await ask()
    expect(response.status).to.equal(404)
    const told = await json(response)
    expect(told).to.have.nested.property('error.code', '7009')
    expect(told).to.have.nested.property('error.message', 'No such model')
  })

  it('refuses to start with an invalid setting', async () => {
    const stored = { provider: 'workers-ai', api_key: 'k', configurations: { account: 'x' } }
    const error = await startGateway({ providers: { stored } }).then(
      async (started) => {
        await started.stop()
        return null
      },
      (thrown: unknown) => thrown,
    )
    expect(String(error)).to.contain('/providers/stored/configurations')
  })
})
