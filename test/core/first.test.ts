/** The basic path: a request through the gateway to a provider and back, plain and streamed. */
import { expect } from 'chai'
import {
  chat,
  configHeader,
  json,
  readEvents,
  startGateway,
  type TestGateway,
  target,
} from '../support/gateway.ts'
import { openUpstream, type Upstream } from '../support/upstream.ts'

describe('a chat completion', () => {
  let gateway: TestGateway
  let upstream: Upstream

  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  it('reaches the provider with its credential, and its answer is returned', async () => {
    const response = await gateway.post(
      '/v1/chat/completions',
      chat('hi'),
      configHeader(target(upstream.url)),
    )
    expect(response.status).to.equal(200)
    const body = await json(response)
    expect(body).to.have.nested.property('choices[0].message.content', 'ok')
    expect(upstream.seen.at(-1)).to.deep.include({ method: 'POST', path: '/v1/chat/completions' })
    expect(upstream.seen.at(-1)?.headers.authorization).to.equal('Bearer sk-test')
    expect(response.headers.get('x-gateway-provider')).to.equal('openai')
  })

  it('streams', async () => {
    const body = chat('hi', { stream: true })
    const response = await gateway.post('/v1/chat/completions', body, configHeader(target(upstream.url)))
    expect(response.headers.get('content-type')).to.contain('text/event-stream')
    const events = await readEvents(response)
    expect(events.at(-1)).to.equal('[DONE]')
    expect(events).to.have.length(5)
  })
})
