/** What the management API says about a name that does not exist: the nearest one that the caller may list. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('unknown names in the management API', () => {
  const api = openManagement({ workspaces: { research: {}, sales: {} } })
  const config = { retry: { attempts: 1 } }
  const makeKey = async (workspace_id: string, scopes: string[]) => {
    const { body, text } = await api.post('/v1/api-keys/workspace/service', {
      name: 'reader',
      workspace_id,
      scopes,
    })
    expect(body.key, text).to.be.a('string')
    return api.as(String(body.key))
  }
  before(async () => {
    for (const [workspace_id, slug] of [
      ['research', 'with-fallback'],
      ['sales', 'with-guardrails'],
    ])
      expect((await api.post('/v1/configs', { name: slug, slug, workspace_id, config })).status).to.equal(200)
  })

  it('a workspace in the query: the nearest workspace is suggested', async () => {
    const { status, error } = await api.get('/v1/configs?workspace_id=reserch')
    expect([status, error.code, error.param]).to.deep.equal([404, 'not_found', 'query/workspace_id'])
    expect(error.message).to.match(/^Unknown workspace "reserch"\. Did you mean "research"\?/)
  })

  it('a workspace in the body: the nearest workspace is suggested', async () => {
    const { error } = await api.post('/v1/configs', { name: 'x', workspace_id: 'slaes', config })
    expect(error.message).to.match(/^Unknown workspace "slaes"\. Did you mean "sales"\?/)
  })

  it('a slug in the path: the nearest slug is suggested', async () => {
    const { status, error } = await api.get('/v1/configs/with-fallbak?workspace_id=research')
    expect([status, error.param]).to.deep.equal([404, 'path/id'])
    expect(error.message).to.match(/^Unknown config "with-fallbak"\. Did you mean "with-fallback"\?/)
  })

  it('a provider: the nearest provider is suggested', async () => {
    const { error } = await api.post('/v1/integrations', {
      name: 'x',
      ai_provider_id: 'opneai',
      key: 'sk-x',
    })
    expect(JSON.stringify(error)).to.include('Did you mean \\"openai\\"?')
  })

  it('an id: nothing is suggested', async () => {
    const id = '7d7a5b1c-52fb-4f0e-9c0b-2f6a6d2f1c99'
    const { status, error } = await api.get(`/v1/configs/${id}`)
    expect([status, error.message]).to.deep.equal([404, 'There is no such config.'])
  })

  it('a name in another workspace: it is never suggested, and looks the same as one that does not exist', async () => {
    const sales = await makeKey('sales', ['configs.read', 'configs.list'])
    const [hidden, missing] = [
      await sales.get('/v1/configs/with-fallback'),
      await sales.get('/v1/configs/with-fallbakk'),
    ]
    for (const { status, error } of [hidden, missing]) {
      expect([status, error.code]).to.deep.equal([404, 'not_found'])
      expect(error.message).to.include('Known: with-guardrails.')
    }
    const elsewhere = await sales.get('/v1/configs?workspace_id=research')
    expect(elsewhere.error.message).to.equal('Unknown workspace "research". Known: sales.')
  })

  it('a caller without list permission: nothing is suggested', async () => {
    const reader = await makeKey('sales', ['configs.read'])
    const { error } = await reader.get('/v1/configs/with-guardrail')
    expect(error.message).to.equal('There is no such config.')
  })
})
