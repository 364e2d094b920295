/** Who may create and read replays, and with whose key they run. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { answerGate } from '../batches/fixtures.ts'
import { type Body, openReplays, says } from './scene.ts'

const all = ['replays.create', 'replays.read', 'replays.update', 'replays.list', 'logs.view', 'logs.list']

describe('the rights of replays', () => {
  const scene = openReplays()
  const { api } = scene

  const keyWith = async (scopes: string[], more: Body = {}, type = 'workspace/service') => {
    const { status, body, text } = await api.post(`/v1/api-keys/${type}`, {
      name: `a key ${Math.random()}`,
      ...(type.startsWith('workspace') ? { workspace_id: 'default' } : {}),
      scopes,
      ...more,
    })
    if (status !== 200) throw new Error(text)
    return { id: String(body.id), key: String(body.key) }
  }
  const body = {
    source: { sample: 10 },
    config: { virtual_key: 'new', override_params: { model: 'gpt-4o-mini' } },
  }

  before(() => scene.ask(chat('hello', { model: 'gpt-4o' })))

  for (const missing of ['replays.create', 'logs.view', 'completions.write'])
    it(`creating one needs the scope ${missing}`, async () => {
      const { key } = await keyWith([...all, 'completions.write'].filter((scope) => scope !== missing))
      const made = await api.as(key).post('/v1/replays', body)
      expect([made.status, made.error.code], made.text).to.deep.equal([403, 'missing_scope'])
    })

  it('reading pairs needs logs.view; the report needs only replays.read', async () => {
    const { key } = await keyWith([...all, 'completions.write'])
    const made = await api.as(key).post('/v1/replays', body)
    expect(made.status, made.text).to.equal(200)
    await scene.ended(made.body.id)
    const reader = api.as((await keyWith(['replays.read', 'replays.list'])).key)
    expect((await reader.get(`/v1/replays/${made.body.id}`)).status).to.equal(200)
    expect((await reader.get('/v1/replays')).data.map(({ id }) => id)).to.include(made.body.id)
    const refused = await reader.get(`/v1/replays/${made.body.id}/pairs`)
    expect([refused.status, refused.error.code]).to.deep.equal([403, 'missing_scope'])
    expect((await reader.post(`/v1/replays/${made.body.id}/cancel`)).status).to.equal(403)
  })

  it('runs with the key that created it, within its limits', async () => {
    const { id, key } = await keyWith([...all, 'completions.write'], {
      usage_limits: { type: 'tokens', credit_limit: 1, alert_threshold: null },
    })
    for (let index = 0; index < 3; index += 1) await scene.ask(chat(`more ${index}`, { model: 'gpt-4o' }))
    const made = await api.as(key).post('/v1/replays', { ...body, concurrency: 1 })
    const report = await scene.ended(made.body.id)
    expect(report.api_key_id).to.equal(id)
    const { completed, failed, total } = report.counts as Record<string, number>
    expect([completed, failed]).to.deep.equal([1, Number(total) - 1])
    const logged = await api.get(`/v1/logs?source=replay&api_key_ids=${id}`)
    expect(logged.data.length).to.be.above(0)
  })

  it('fails when its key is revoked', async () => {
    const { id, key } = await keyWith([...all, 'completions.write'])
    const gate = answerGate()
    const open = gate.hold()
    scene.answers.new = async (request, response, count) => {
      await gate.opened
      return says('late')(request, response, count)
    }
    const made = await api.as(key).post('/v1/replays', { ...body, concurrency: 1 })
    await api.delete(`/v1/api-keys/${id}`)
    open()
    const report = await scene.ended(made.body.id)
    const { completed, failed, total } = report.counts as Record<string, number>
    expect(failed).to.equal(Number(total) - Number(completed))
    expect(Number(failed)).to.be.above(0)
    scene.answers = {}
  })

  it('an organisation key must name a key that runs the replay and that it may update', async () => {
    const scopes = ['replays.create', 'replays.read', 'logs.view', 'workspace_service_api_keys.update']
    const organisation = await keyWith(scopes, {}, 'organisation/service')
    const other = api.as(organisation.key)
    const place = { workspace_id: 'default' }
    const without = await other.post('/v1/replays', { ...body, ...place })
    expect([without.status, without.error.param], without.text).to.deep.equal([400, '/api_key_id'])
    const unknown = await other.post('/v1/replays', { ...body, ...place, api_key_id: 'nobody' })
    expect([unknown.status, unknown.error.param]).to.deep.equal([404, '/api_key_id'])
    const runner = await keyWith(['completions.write'])
    const made = await other.post('/v1/replays', { ...body, ...place, api_key_id: runner.id })
    expect(made.status, made.text).to.equal(200)
    expect(made.body.api_key_id).to.equal(runner.id)
    expect(await scene.ended(made.body.id)).to.include({ status: 'completed' })
    const idle = await keyWith(['logs.list'])
    const refused = await other.post('/v1/replays', { ...body, ...place, api_key_id: idle.id })
    expect([refused.status, refused.error.code], refused.text).to.deep.equal([403, 'missing_scope'])
  })

  it('a key of another workspace sees neither the replay nor its pairs', async () => {
    const workspace = await api.post('/v1/workspaces', { name: 'Elsewhere' })
    const elsewhere = await keyWith(all, { workspace_id: workspace.body.id })
    const { data } = await api.get('/v1/replays')
    const other = api.as(elsewhere.key)
    for (const path of ['', '/pairs']) {
      const seen = await other.get(`/v1/replays/${data[0]?.id}${path}`)
      expect([seen.status, seen.error.code]).to.deep.equal([404, 'not_found'])
    }
    expect((await other.get('/v1/replays')).body.total).to.equal(0)
  })
})
