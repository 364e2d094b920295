/** A webhook at a public host, mocked with nock: nothing leaves the machine. */
import { expect } from 'chai'
import type Nock from 'nock'
import { chat, configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { readReply } from '../../support/scene.ts'
import { hooksOf } from './fixtures/open.ts'

describe('a webhook at a public host', () => {
  let nock: typeof Nock
  let gateway: TestGateway

  before(async () => {
    // Loaded here because it intercepts every connection of the process.
    nock = (await import('nock')).default
    if (!nock.isActive()) nock.activate()
    nock.disableNetConnect()
    nock.enableNetConnect(/^(127\.0\.0\.1|localhost|\[::1\])/)
    gateway = await startGateway(
      {},
      {
        resolve: async () => [{ address: '203.0.113.9', family: 4 }],
      },
    )
  })
  afterEach(() => {
    const pending = nock.pendingMocks()
    nock.cleanAll()
    expect(pending).to.deep.equal([])
  })
  after(async () => {
    await gateway.stop()
    nock.enableNetConnect()
    nock.restore()
  })

  const ask = async (parameters: object = {}, rest: object = {}) => {
    const webhook = { webhookURL: 'https://judge.example/v2/judge?tenant=7', ...parameters }
    const config = { provider: 'echo', input_guardrails: [{ id: 'hook', deny: true, ...rest, webhook }] }
    return readReply(await gateway.post('/v1/chat/completions', chat('a question'), configHeader(config)))
  }

  it('is called by POST with its headers, and its verdict is used', async () => {
    let told: unknown
    nock('https://judge.example', {
      reqheaders: { 'x-secret': 'of the endpoint' },
      badheaders: ['authorization'],
    })
      .post('/v2/judge', (body) => {
        told = body
        return true
      })
      .query({ tenant: '7' })
      .reply(200, { verdict: false, data: { rule: 3 } })
    const reply = await ask({ headers: { 'x-secret': 'of the endpoint' } })
    expect(reply.status).to.equal(446)
    expect(hooksOf(reply).before_request_hooks[0]?.checks[0]?.data).to.deep.equal({ rule: 3 })
    expect(told).to.have.nested.property('request.text', 'a question')
  })

  it('changes the request', async () => {
    const json = chat('another question')
    nock('https://judge.example')
      .post(/judge/)
      .reply(201, { verdict: true, transformedData: { request: { json } } })
    const reply = await ask({}, { type: 'mutator' })
    expect(reply.body).to.have.nested.property('choices[0].message.content', 'another question')
  })

  it('is not retried when it fails, and its redirects are not followed', async () => {
    nock('https://judge.example').post(/judge/).reply(503)
    expect((await ask({}, { fail_closed: true })).status).to.equal(446)
    nock('https://judge.example').post(/judge/).reply(302, '', { location: 'https://elsewhere.example/' })
    expect((await ask({}, { fail_closed: true })).status).to.equal(446)
  })

  it('is an error when its answer is larger than allowed', async () => {
    nock('https://judge.example')
      .post(/judge/)
      .reply(200, { verdict: true, data: 'x'.repeat(2_000_000) })
    const reply = await ask()
    expect(reply.status).to.equal(200)
    expect(hooksOf(reply).before_request_hooks[0]?.checks[0]?.error?.name).to.equal('dependency_unavailable')
  })

  it('is the only host that is called', async () => {
    const config = {
      provider: 'echo',
      input_guardrails: [{ id: 'x', webhook: { webhookURL: 'https://other.example/' } }],
    }
    const reply = await readReply(await gateway.post('/v1/chat/completions', chat(), configHeader(config)))
    expect(reply.status).to.equal(200)
    expect(hooksOf(reply).before_request_hooks[0]?.checks[0]?.error).not.to.equal(null)
  })
})
