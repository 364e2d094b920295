/** GET /ai-providers: what integrations can be made of, with the schema of their credentials. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('the provider catalogue for integrations', () => {
  const api = openManagement()

  it('lists each provider with the schema of its configurations', async () => {
    const { status, body, data } = await api.get('/v1/ai-providers?page_size=1000')
    expect(status).to.equal(200)
    expect(body).to.include({ object: 'list', total: data.length, has_more: false })
    const bedrock = data.find(({ id }) => id === 'bedrock')
    expect(bedrock).to.include({ object: 'ai-provider', credential: 'required' })
    expect(bedrock).to.have.nested.property('configurations.properties.aws_region')
    expect(data.find(({ id }) => id === 'openai')).to.include({ configurations: null })
    expect(data.find(({ id }) => id === 'echo')).to.include({ credential: 'none' })
  })

  it('can be searched by name, and is paged', async () => {
    expect((await api.get('/v1/ai-providers?search=BEDROCK')).data.map(({ id }) => id)).to.deep.equal([
      'bedrock',
    ])
    const page = await api.get('/v1/ai-providers?page_size=2&current_page=1')
    expect(page.data).to.have.lengthOf(2)
    expect(page.body).to.include({ has_more: true, current_page: 1 })
  })

  it('contains names that can each be used for an integration', async () => {
    const made = await api.post('/v1/integrations', {
      name: 'Echo',
      ai_provider_id: 'echo',
      workspace_id: 'default',
    })
    expect(made.status, made.text).to.equal(200)
  })

  it('requires a credential that can manage integrations', async () => {
    expect((await api.as(null).get('/v1/ai-providers')).status).to.equal(401)
  })
})
