/** AI21 behind the gateway, with a local server at a custom host. */
import { expect } from 'chai'
import { configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { readReply } from '../../support/scene.ts'
import { answerOk, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

describe('AI21 behind the gateway', () => {
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
  const ask = async (extra = {}) => {
    const config = { provider: 'ai21', api_key: 'ak-1', custom_host: `${upstream.origin}/studio/v1` }
    const body = { model: 'jamba-mini', messages: [{ role: 'user', content: 'Hi' }], ...extra }
    return readReply(await gateway.post('/v1/chat/completions', body, configHeader(config)))
  }

  it('answers a chat', async () => {
    const reply = await ask()
    expect(reply.status).to.equal(200)
    expect(reply.text).to.contain('"content":"ok"')
    expect(upstream.seen[0]).to.include({ method: 'POST', path: '/studio/v1/chat/completions' })
    expect(upstream.seen[0]?.headers.authorization).to.equal('Bearer ak-1')
  })

  it('streams a chat', async () => {
    upstream.handle(answerOk)
    const { text } = await ask({ stream: true })
    expect(text).to.contain('"content":"o"').and.to.contain('"content":"k"')
    expect(text.endsWith('data: [DONE]\n\n')).to.equal(true)
  })

  it('keeps the status and message of an error', async () => {
    upstream.handle((_request, response) => sendJson(response, 422, { detail: [{ msg: 'bad', loc: ['n'] }] }))
    const reply = await ask()
    expect([reply.status, reply.error.message]).to.deep.equal([422, 'n: bad'])
  })
})
