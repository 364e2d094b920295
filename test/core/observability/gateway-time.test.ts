/** The gateway's own time in a log entry excludes the time of targets and the waits before retries. */
import { expect } from 'chai'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const waitMs = 150

describe('the gateway’s time', () => {
  let upstream: Upstream
  let gateway: TestGateway

  before(async () => {
    upstream = await openUpstream()
    upstream.handle((_, response, count) => {
      if (count > 1) return sendJson(response, 200, chatAnswer('hello'))
      response.writeHead(503, { 'retry-after-ms': String(waitMs) }).end('{}')
    })
    gateway = await startGateway({
      providers: { own: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
    })
  })
  after(async () => {
    await gateway?.stop()
    await upstream?.close()
  })

  it('excludes the wait before a retry', async () => {
    const response = await gateway.post(
      '/v1/chat/completions',
      { ...chat('hello'), model: '@own/any' },
      {
        'x-gateway-config': JSON.stringify({
          retry: { attempts: 1, on_status_codes: [503], use_retry_after_headers: true },
        }),
      },
    )
    expect(response.status).to.equal(200)
    const entry = await until('the request is logged', async () => {
      const { data } = (await (await gateway.get('/v1/logs')).json()) as { data: Record<string, number>[] }
      return data[0]
    })
    const { gateway_time: own = 0, upstream_time: theirs = 0, response_time: whole = 0 } = entry
    // Each of the three numbers is rounded.
    expect(own + theirs).to.be.at.most(whole - waitMs + 3)
  })
})
