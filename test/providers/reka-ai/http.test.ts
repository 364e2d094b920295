/** Reka behind the gateway, with a local server at a custom host. */
import { expect } from 'chai'
import { configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { readReply } from '../../support/scene.ts'
import { answerOk, openUpstream, sendEvents, sendJson, type Upstream } from '../../support/upstream.ts'

const said = (content: string, finish_reason: string | null) =>
  `data: ${JSON.stringify({ id: 'r', responses: [{ chunk: { role: 'assistant', content }, finish_reason }] })}\n\n`

describe('Reka behind the gateway', () => {
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
  const ask = async (extra = {}, path = '/v1') => {
    const config = { provider: 'reka-ai', api_key: 'rk-1', custom_host: upstream.origin + path }
    const body = { model: 'reka-flash', messages: [{ role: 'user', content: 'Hi' }], ...extra }
    return readReply(await gateway.post('/v1/chat/completions', body, configHeader(config)))
  }
  const last = () => upstream.seen[upstream.seen.length - 1]

  for (const path of ['/v1', '']) {
    it(`answers a chat at "${path}"`, async () => {
      upstream.handle((_request, response) =>
        sendJson(response, 200, {
          id: 'r',
          responses: [{ message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
        }),
      )
      const reply = await ask({}, path)
      expect(reply.text).to.contain('"content":"ok"')
      expect(last()).to.include({ method: 'POST', path: '/v1/chat' })
      expect(last()?.headers).to.include({ 'x-api-key': 'rk-1' }).and.to.not.have.property('authorization')
    })
  }

  it('streams a chat', async () => {
    upstream.handle((_request, response) => sendEvents(response, [said('Hel', null), said('Hello', 'stop')]))
    const { text } = await ask({ stream: true })
    expect(text).to.contain('"content":"Hel"').and.to.contain('"content":"lo"')
    expect(text.endsWith('data: [DONE]\n\n')).to.equal(true)
  })

  it('calls the research agent in the compatible format', async () => {
    upstream.handle(answerOk)
    const reply = await ask({ model: 'reka-flash-research', research: { web_search: { enabled: false } } })
    expect(reply.status).to.equal(200)
    expect(last()).to.include({ path: '/v1/chat/completions' })
    expect(last()?.headers.authorization).to.equal('Bearer rk-1')
    expect(last()?.json?.research).to.deep.equal({ web_search: { enabled: false } })
  })

  it('keeps the status and message of an error', async () => {
    upstream.handle((_request, response) => sendJson(response, 401, { detail: 'bad key' }))
    const reply = await ask()
    expect([reply.status, reply.error.message]).to.deep.equal([401, 'bad key'])
  })
})
