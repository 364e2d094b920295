/** `/healthz`, `/readyz` and `/metrics`, and metrics on a port of their own. */
import { expect } from 'chai'
import { freePort } from '../../support/free-port.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'

describe('the health routes', () => {
  let gateway: TestGateway
  afterEach(() => gateway.stop())

  it('answer GET and HEAD without a key', async () => {
    gateway = await startGateway()
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await fetch(gateway.url + path, { method })
        expect(response.status, `${method} ${path}`).to.equal(200)
      }
      const refused = await fetch(gateway.url + path, { method: 'POST' })
      expect(refused.status).to.equal(405)
      expect(refused.headers.get('allow')).to.equal('GET, HEAD')
      expect(await refused.json()).to.have.nested.property('error.code', 'method_not_allowed')
    }
  })

  it('report a store that does not answer', async () => {
    // Nothing listens on the port of this Redis.
    gateway = await startGateway({ redis: { url: `redis://127.0.0.1:${await freePort()}` } })
    const response = await fetch(`${gateway.url}/readyz`)
    expect(response.status).to.equal(503)
    expect(await response.json())
      .to.have.property('reason')
      .that.matches(/store/)
    expect((await fetch(`${gateway.url}/healthz`)).status).to.equal(200)
  })

  it('serve metrics only on the metrics port when one is set', async () => {
    const port = await freePort()
    gateway = await startGateway({ server: { metrics_port: port } })
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(metrics.status).to.equal(200)
    expect(await metrics.text()).to.contain('gateway_requests_in_flight 0')
    const elsewhere = await fetch(`http://127.0.0.1:${port}/v1/models`)
    expect(elsewhere.status).to.equal(404)
    expect(await elsewhere.json()).to.have.nested.property('error.code', 'not_found')
    const refused = await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })
    expect(refused.status).to.equal(405)
    expect(await refused.json()).to.have.nested.property('error.code', 'method_not_allowed')
    expect((await fetch(`${gateway.url}/metrics`)).status).to.equal(404)
  })
})
