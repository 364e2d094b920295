/** GET `/target-health`: the targets of a workspace that have a circuit breaker. */
import { expect } from 'chai'
import { chat, configHeader } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const cb_config = { failure_threshold: 2, cooldown_interval: 60_000 }
const failing = (model: string, status: number) => ({
  provider: '@mine',
  cb_config,
  override_params: { model, echo: { status } },
})

describe('the health of targets', () => {
  const api = openManagement({ providers: { mine: { provider: 'echo' } } })
  const path = '/v1/target-health'
  const call = (config: unknown) => api.gateway.post('/v1/chat/completions', chat(), configHeader(config))
  const find = async (model: string) => (await api.get(path)).data.filter((one) => one.model === model)

  it('is empty before a target with a circuit breaker was called', async () => {
    const { status, body } = await api.get(path)
    expect(status).to.equal(200)
    expect(body).to.deep.equal({
      object: 'list',
      total: 0,
      current_page: 0,
      page_size: 100,
      has_more: false,
      data: [],
    })
  })

  it('shows a closed circuit with its failure count', async () => {
    await call(failing('once', 503))
    const [found] = await find('once')
    expect(found).to.deep.include({
      object: 'target_health',
      provider: 'echo',
      virtual_key: 'mine',
      model: 'once',
      host_kind: 'stored',
      state: 'closed',
      failures: 1,
      opened_at: null,
      retry_at: null,
      last_status: 503,
    })
  })

  it('shows an open circuit and the time of its next probe', async () => {
    await call(failing('down', 500))
    await call(failing('down', 500))
    const [found] = await find('down')
    expect(found).to.include({ state: 'open', failures: 2, last_status: 500 })
    const wait = Date.parse(String(found?.retry_at)) - Date.parse(String(found?.opened_at))
    expect(wait).to.equal(cb_config.cooldown_interval)
  })

  it('contains no host and no credential', async () => {
    await call({
      provider: 'openai',
      api_key: 'sk-very-secret',
      custom_host: 'http://127.0.0.1:9/v1',
      cb_config,
      override_params: { model: 'elsewhere' },
    })
    const { text, data } = await api.get(path)
    expect(text).not.to.contain('sk-very-secret')
    expect(text).not.to.contain('127.0.0.1')
    expect(data.find(({ model }) => model === 'elsewhere')).to.include({
      host_kind: 'custom',
      virtual_key: null,
      last_status: null,
    })
  })

  it('hides the targets of other workspaces', async () => {
    const other = await api.post('/v1/workspaces', { name: 'Other', slug: 'other' })
    expect(other.status, other.text).to.equal(200)
    expect((await api.get(`${path}?workspace_id=other`)).data).to.deep.equal([])
    expect((await api.get(`${path}?workspace_id=default`)).data).not.to.deep.equal([])
  })

  it('is paged', async () => {
    const { body } = await api.get(`${path}?page_size=1&current_page=1`)
    expect(body).to.include({ page_size: 1, current_page: 1 })
    expect(body.data).to.have.length(1)
  })
})
