/** Dry runs are a package: without it its path does not exist, and requests are served as before. */
import { expect } from 'chai'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'

describe('a gateway without the package of dry runs', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({
      plugins: { disabled: ['dry-run'] },
      providers: { mine: { provider: 'echo' } },
    })
  })
  after(() => gateway.stop())

  it('answers a dry run with 404 not_found', async () => {
    const answer = await gateway.post('/v1/dry-run', { endpoint: 'chatComplete', body: chat() })
    expect(answer.status).to.equal(404)
    expect(await answer.json()).to.have.nested.property('error.code', 'not_found')
  })

  it('serves other requests', async () => {
    const answer = await gateway.post('/v1/chat/completions', chat('hello', { model: '@mine/m' }))
    expect(answer.status).to.equal(200)
  })
})
