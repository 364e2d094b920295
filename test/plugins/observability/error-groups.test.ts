/** Failed requests by their cause, as the store counts them: all of a range, not only the newest. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { callEcho } from './support.ts'

describe('groups of errors', () => {
  const api = openManagement({ providers: { main: { provider: 'echo' } } })
  const failing = (status: number, model: string) =>
    callEcho(api, {}, { body: { ...chat('fails'), model, echo: { status } } })

  it('count failed requests by status, provider, model and endpoint, the most frequent first', async () => {
    await callEcho(api)
    await failing(503, 'large')
    await failing(503, 'large')
    await failing(429, 'small')
    await callEcho(api, { 'x-gateway-config': 'no-such-config' })
    const { status, body, data, text } = await api.get('/v1/logs/error-groups')
    expect(status, text).to.equal(200)
    expect(body).to.include({ object: 'list', total: 3, current_page: 0 })
    const [first, ...others] = data
    expect(first).to.include({
      object: 'log-error-group',
      status_code: 503,
      error_code: 'echo_error',
      ai_org: 'echo',
      ai_model: 'large',
      endpoint_type: 'chatComplete',
      requests: 2,
    })
    expect(Date.parse(String(first?.first_seen))).to.be.at.most(Date.parse(String(first?.last_seen)))
    expect(others.map(({ status_code: code, requests }) => [code, requests])).to.have.deep.members([
      [429, 1],
      [404, 1],
    ])
  })

  it('take the filters of the log, and never contain requests that succeeded', async () => {
    const of = async (query: string) => (await api.get(`/v1/logs/error-groups?${query}`)).body.total
    expect(await of('ai_model=small')).to.equal(1)
    expect(await of('status_code_min=200')).to.equal(3)
    expect(await of('status_code_min=500')).to.equal(1)
    expect(await of('time_of_generation_max=2020-01-01T00:00:00Z')).to.equal(0)
    const refused = await api.get('/v1/logs/error-groups?status_code_min=many')
    expect(refused.status).to.equal(400)
  })

  it('need the right to list logs', async () => {
    const key = await api.people.key({ type: 'organisation-service', scopes: ['configs.list'] })
    expect((await api.as(key).get('/v1/logs/error-groups')).status).to.equal(403)
  })
})
