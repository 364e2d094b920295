/** Realtime is a package: a gateway without it works, and does not know its path. */
import { once } from 'node:events'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { adminKey, chat, configHeader, json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { objectOf } from '../../support/openapi.ts'

const headers = { 'x-gateway-api-key': adminKey, 'x-gateway-provider': 'echo' }

describe('a gateway with plugins.disabled: [realtime]', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ plugins: { disabled: ['realtime'] } })
  })
  after(() => gateway.stop())

  it('answers 404 to an upgrade at /v1/realtime', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime`, { headers })
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).to.equal(404)
    response.resume()
  })

  it('answers 404 to a GET at /v1/realtime', async () => {
    const response = await gateway.get('/v1/realtime')
    expect(response.status).to.equal(404)
    expect((await json(response)).error).to.include({ code: 'not_found' })
  })

  it('answers chat requests', async () => {
    const response = await gateway.post('/v1/chat/completions', chat(), configHeader({ provider: 'echo' }))
    expect(response.status).to.equal(200)
  })

  it('describes no path below /v1/realtime', async () => {
    const { paths } = await json(await gateway.get('/v1/openapi.json'))
    expect(Object.keys(objectOf(paths)).filter((path) => path.startsWith('/v1/realtime'))).to.deep.equal([])
  })
})
