/** Webhooks (management contract, section 21): signed deliveries, retries, redelivery, test, rotation, pause, presets. */
import { randomUUID } from 'node:crypto'
import { firstOrganisationId } from '@gateway/domain'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { newDelivery } from '#control-plane/webhooks/deliveries'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'
import { openUpstream, type SeenRequest, sendJson, type Upstream } from '../../support/upstream.ts'

describe('the webhooks API', () => {
  const api = openManagement({ security: { trusted_hosts: ['127.0.0.1'] } })
  let receiver: Upstream
  const received: SeenRequest[] = []
  let status = 200
  before(async () => {
    receiver = await openUpstream((request, response) => {
      received.push(request)
      if (request.path === '/redirect') {
        response.writeHead(302, { location: '/hook' })
        response.end()
        return
      }
      sendJson(response, status, {})
    })
  })
  after(() => receiver.close())
  beforeEach(() => {
    status = 200
    received.length = 0
  })

  const create = async (more: object = {}) =>
    (await api.post('/v1/webhooks', { url: `${receiver.origin}/hook`, events: ['*'], ...more })).body
  const remove = ({ id }: Record<string, unknown>) => api.delete(`/v1/webhooks/${id}`)
  const sentTo = (path: string, type: string) =>
    received.filter((each) => each.path === path && String(each.text).includes(type))

  it('shows the secret once, and stores it encrypted', async () => {
    const made = await create({ events: ['api_key.created'], description: 'Keys' })
    expect(made).to.include({ object: 'webhook', status: 'active', format: 'standard', paused_reason: null })
    expect(made.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { secret, ...shown } = made
    expect((await api.get(`/v1/webhooks/${made.id}`)).body).to.deep.equal(shown)
    expect(JSON.stringify(await api.stored('webhook', String(made.id)))).not.to.include(
      String(secret).slice(6),
    )
    await remove(made)
  })

  it('masks secrets in URLs, and takes a masked URL back', async () => {
    const token = 'a1'.repeat(12)
    const url = `${receiver.origin}/services/${token}?routing_key=k-123456&team=a`
    const { id } = await create({ url })
    const shown = `${receiver.origin}/services/****?routing_key=****&team=a`
    const listed = (await api.get('/v1/webhooks')).data.find((each) => each.id === id)
    expect(listed?.url).to.equal(shown)
    expect((await api.put(`/v1/webhooks/${id}`, { url: shown, description: 'b' })).status).to.equal(200)
    expect((await api.stored('webhook', String(id)))?.data.url).to.equal(url)
    const other = await api.put(`/v1/webhooks/${id}`, { url: shown.replace('team=a', 'team=b') })
    expect([other.status, other.error.param]).to.deep.equal([400, '/url'])
    const audit = JSON.stringify(await api.audit(`resource_id=${id}`))
    for (const secret of [token, 'k-123456']) expect(audit).not.to.include(secret)
    await remove({ id })
  })

  it('masks the routing key of a URL in the audit records of its creation and its change', async () => {
    const urlOf = (key: string) => `${receiver.origin}/v2/enqueue?routing_key=${key}`
    const [first, second] = ['routing-key-one', 'routing-key-two']
    const { id } = await create({ url: urlOf(first) })
    expect((await api.put(`/v1/webhooks/${id}`, { url: urlOf(second) })).status).to.equal(200)
    const records = await api.audit(`resource_id=${id}`)
    const sent = records.map(({ method, request_body }) => [method, (request_body as { url: string }).url])
    expect(sent).to.deep.equal([
      ['PUT', urlOf('****')],
      ['POST', urlOf('****')],
    ])
    for (const key of [first, second]) expect(JSON.stringify(records)).not.to.include(key)
    await remove({ id })
  })

  const wrong: [string, object, string, string][] = [
    ['no URL', { events: ['*'] }, '/url', 'invalid_body'],
    ['an invalid URL', { url: 'nothing', events: ['*'] }, '/url', 'invalid_body'],
    ['a private address', { url: 'http://10.0.0.1/', events: ['*'] }, '/url', 'host_not_allowed'],
    ['no events', { url: 'http://127.0.0.1/' }, '/events', 'invalid_body'],
    [
      'an unknown event',
      { url: 'http://127.0.0.1/', events: ['api_key.updated'] },
      '/events/0',
      'invalid_body',
    ],
    [
      'an unknown format',
      { url: 'http://127.0.0.1/', events: ['*'], format: 'x' },
      '/format',
      'invalid_body',
    ],
  ]
  for (const [what, body, param, code] of wrong) {
    it(`refuses ${what}`, async () => {
      const { status, error } = await api.post('/v1/webhooks', body)
      expect({ status, param: error.param, code: error.code }).to.deep.equal({ status: 400, param, code })
    })
  }

  it('delivers an event with a signature that the standardwebhooks package verifies, and without secrets', async () => {
    const hook = await create()
    const key = (await api.post('/v1/api-keys/organisation/service', { name: 'CI', scopes: ['logs.list'] }))
      .body
    await until('delivery', () => sentTo('/hook', 'api_key.created').length > 0)
    const [sent] = sentTo('/hook', 'api_key.created')
    const headers = sent?.headers as Record<string, string>
    const payload = new Webhook(String(hook.secret)).verify(String(sent?.text), headers) as Record<
      string,
      unknown
    >
    expect(payload).to.include({ id: headers['webhook-id'], type: 'api_key.created', workspace_id: null })
    expect(payload.data).to.include({ id: key.id, object: 'api-key', name: 'CI' })
    expect(sent?.text).not.to.include(String(key.key))
    await until(
      'success',
      async () => (await api.get(`/v1/webhooks/${hook.id}/deliveries`)).data[0]?.status === 'succeeded',
    )
    const metrics = await (await api.gateway.get('/metrics')).text()
    expect(metrics).to.match(/gateway_webhook_deliveries_total\{outcome="succeeded"\} [1-9]/)
    const [delivery] = (await api.get(`/v1/webhooks/${hook.id}/deliveries`)).data
    expect(delivery).to.include({ attempt: 1, response_status: 200, error: null, next_attempt_at: null })
    const again = await api.post(`/v1/webhooks/${hook.id}/deliveries/${delivery?.id}/redeliver`)
    expect(again.body).to.include({ event_id: payload.id, attempt: 0, status: 'pending' })
    await until('redelivery', () => sentTo('/hook', 'api_key.created').length > 1)
    expect(sentTo('/hook', 'api_key.created')[1]?.headers['webhook-id']).to.equal(payload.id)
    await remove(hook)
  })

  it('delivers no event from before the webhook was created', async () => {
    const event = (id: string, at: number) => ({
      ...{
        kind: 'event',
        id,
        organisation_id: firstOrganisationId,
        workspace_id: null,
        slug: null,
        name: null,
      },
      ...{ status: 'active', created_at: at, last_updated_at: at, keys: [], attributes: {} },
      data: { type: 'usage_limit.reset', data: { id } },
    })
    const hook = await create({ events: ['usage_limit.reset'] })
    const createdAt = (await api.stored('webhook', String(hook.id)))?.created_at ?? expect.fail()
    const [before, after] = [randomUUID(), randomUUID()]
    await api.gateway.runtime.store.documents.commit([
      { op: 'put', document: event(before, createdAt - 1) },
      { op: 'put', document: event(after, createdAt) },
    ])
    await until('delivery', () => sentTo('/hook', after).length > 0)
    expect(sentTo('/hook', before)).to.deep.equal([])
    await remove(hook)
  })

  it("returns the receiver's answer to a test, and treats a redirect as a failure", async () => {
    const hook = await create({ events: ['api_key.created'] })
    expect((await api.post(`/v1/webhooks/${hook.id}/test`)).body).to.deep.equal({
      success: true,
      response_status: 200,
      error: null,
    })
    status = 500
    expect((await api.post(`/v1/webhooks/${hook.id}/test`)).body).to.include({
      success: false,
      response_status: 500,
    })
    await api.put(`/v1/webhooks/${hook.id}`, { url: `${receiver.origin}/redirect`, status: 'paused' })
    expect((await api.post(`/v1/webhooks/${hook.id}/test`)).body).to.include({
      success: false,
      response_status: 302,
    })
    await remove(hook)
  })

  it('signs with the new and the previous secret after a rotation', async () => {
    const hook = await create()
    const rotated = (await api.post(`/v1/webhooks/${hook.id}/rotate-secret`)).body
    await api.post(`/v1/webhooks/${hook.id}/test`)
    const sent = received.at(-1)
    const headers = sent?.headers as Record<string, string>
    for (const secret of [hook.secret, rotated.secret])
      new Webhook(String(secret)).verify(String(sent?.text), headers)
    expect(headers['webhook-signature']?.split(' ')).to.have.length(2)
    await remove(hook)
  })

  it('pauses a webhook after 100 consecutive failures, and resumes when it is set active', async () => {
    const hook = await create({ events: ['export.completed'] })
    status = 500
    const { documents } = api.gateway.runtime.store
    const stored = await documents.get('webhook', String(hook.id))
    const body = JSON.stringify({
      id: 'e',
      type: 'export.completed',
      created_at: new Date().toISOString(),
      organisation_id: stored?.organisation_id,
      workspace_id: null,
      data: {},
    })
    const event = { id: 'e', type: 'export.completed', body }
    await documents.commit(
      Array.from({ length: 100 }, () => ({
        op: 'put' as const,
        document: newDelivery(stored as never, event, Date.now() - 60_000),
      })),
    )
    await until('pause', async () => (await api.get(`/v1/webhooks/${hook.id}`)).body.status === 'paused')
    // On a slow machine some are due for their second attempt before the others had their first one.
    const { data } = await api.get(`/v1/webhooks/${hook.id}/deliveries`)
    const failed = data.find(({ attempt }) => Number(attempt) > 0)
    expect(failed).to.include({ status: 'pending', response_status: 500 })
    const active = await api.put(`/v1/webhooks/${hook.id}`, { status: 'active' })
    expect(active.body).to.include({ status: 'active', paused_reason: null })
    await remove(hook)
  })

  it('formats for Slack, Teams and PagerDuty', async () => {
    const hooks = await Promise.all(
      ['slack', 'teams', 'pagerduty'].map((format) =>
        create({ format, url: `${receiver.origin}/${format}?routing_key=R1` }),
      ),
    )
    for (const hook of hooks) await api.post(`/v1/webhooks/${hook.id}/test`)
    const sent = (path: string) => received.find((each) => each.path.startsWith(`/${path}`))?.text ?? '{}'
    expect(JSON.parse(sent('slack')).text).to.include('webhook.test')
    expect(JSON.parse(sent('teams')).attachments[0].content.type).to.equal('AdaptiveCard')
    expect(JSON.parse(sent('pagerduty'))).to.deep.include({ routing_key: 'R1', event_action: 'trigger' })
    for (const hook of hooks) await remove(hook)
  })
})
