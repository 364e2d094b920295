/** Databricks through the gateway, against a local server that answers as the vendor does. */
import { expect } from 'chai'
import {
  chat,
  configHeader,
  json,
  readEvents,
  startGateway,
  type TestGateway,
} from '../../support/gateway.ts'
import {
  chatAnswer,
  chatEvents,
  openUpstream,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'

describe('Databricks through the gateway', () => {
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
  const ask = (more: Record<string, unknown> = {}) =>
    gateway.post(
      '/v1/chat/completions',
      chat('x', { model: 'databricks-gpt-oss-120b', ...more }),
      configHeader({
        provider: 'databricks',
        api_key: 'dapi-1',
        custom_host: `${upstream.origin}/serving-endpoints`,
      }),
    )

  it('calls the serving endpoint and returns its answer', async () => {
    upstream.handle((_, response) => sendJson(response, 200, chatAnswer('ok')))
    const response = await ask()
    expect(await json(response)).to.have.nested.property('choices[0].message.content', 'ok')
    const [call] = upstream.seen.slice(-1)
    expect(call?.path).to.equal('/serving-endpoints/databricks-gpt-oss-120b/invocations')
    expect(call?.headers.authorization).to.equal('Bearer dapi-1')
    expect(call?.json).to.deep.equal({ messages: [{ role: 'user', content: 'x' }] })
  })

  it('streams', async () => {
    upstream.handle((_, response) => sendEvents(response, chatEvents('o', 'k')))
    const read = await readEvents(await ask({ stream: true }))
    expect(read.at(-1)).to.equal('[DONE]')
    const deltas = read.slice(0, -1).map((event) => JSON.parse(event).choices[0].delta.content ?? '')
    expect(deltas.join('')).to.equal('ok')
  })

  it('keeps status, code and message of an error', async () => {
    const body = { error_code: 'RESOURCE_DOES_NOT_EXIST', message: 'No such endpoint' }
    upstream.handle((_, response) => sendJson(response, 404, body))
    const response = await ask()
    expect(response.status).to.equal(404)
    const told = await json(response)
    expect(told).to.have.nested.property('error.code', 'RESOURCE_DOES_NOT_EXIST')
    expect(told).to.have.nested.property('error.message', 'No such endpoint')
  })
})
