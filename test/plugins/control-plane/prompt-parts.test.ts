/** Partials, labels and collections (management contract, section 14). */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

const chatText = (content: string) => JSON.stringify([{ role: 'user', content }])

describe('prompt parts', () => {
  const api = openManagement()
  let count = 0
  const partial = async (string: string, extra: Record<string, unknown> = {}) => {
    count += 1
    const reply = await api.post('/v1/prompts/partials', {
      name: 'Part',
      slug: `part-${count}`,
      workspace_id: 'default',
      string,
      ...extra,
    })
    expect(reply.status, reply.text).to.equal(200)
    return { id: String(reply.body.id), slug: String(reply.body.slug), body: reply.body }
  }
  const prompt = async (content: string, extra: Record<string, unknown> = {}) => {
    const reply = await api.post('/v1/prompts', {
      name: 'Prompt',
      workspace_id: 'default',
      string: chatText(content),
      model: 'm',
      ...extra,
    })
    expect(reply.status, reply.text).to.equal(200)
    return String(reply.body.id)
  }
  const shown = async (id: string, variables: Record<string, unknown> = {}) => {
    const { body, text } = await api.post(`/v1/prompts/${id}/render`, { variables })
    expect(body.success, text).to.equal(true)
    return (body.data as { messages: { content: string }[] }).messages[0]?.content
  }

  describe('partials', () => {
    it('are published with their first version, and have the specified fields', async () => {
      const { body } = await partial('Dear {{name}}', { version_description: 'first' })
      expect(body).to.include({
        object: 'prompt-partial',
        name: 'Part',
        string: 'Dear {{name}}',
        version: 1,
        published_version: 1,
        latest_version: 1,
        version_description: 'first',
        status: 'active',
      })
      expect(body.prompt_partial_version_id).to.be.a('string')
      const made = await api.post('/v1/prompts/partials', {
        name: 'A b',
        workspace_id: 'default',
        string: 'x',
      })
      expect(made.body.slug).to.match(/^pt-a-b-[0-9a-f]{6}$/)
    })

    it('have versions like prompts', async () => {
      const { id } = await partial('one')
      const second = await api.put(`/v1/prompts/partials/${id}`, { string: 'two' })
      expect(second.body).to.include({ version: 2, string: 'two', published_version: 1 })
      expect((await api.get(`/v1/prompts/partials/${id}`)).body).to.include({ version: 1, string: 'one' })
      expect((await api.get(`/v1/prompts/partials/${id}@latest`)).body).to.include({ version: 2 })
      expect((await api.get(`/v1/prompts/partials/${id}@2`)).body).to.include({ string: 'two' })
      const missing = await api.get(`/v1/prompts/partials/${id}@9`)
      expect([missing.status, missing.error.code]).to.deep.equal([404, 'not_found'])
      const { data } = await api.get(`/v1/prompts/partials/${id}/versions`)
      expect(data.map(({ version, string, status }) => [version, string, status])).to.deep.equal([
        [2, 'two', 'archived'],
        [1, 'one', 'active'],
      ])
      const published = await api.put(`/v1/prompts/partials/${id}/makeDefault`, { version: 2 })
      expect(published.body).to.include({ version: 2, published_version: 2 })
      const back = await api.post(`/v1/prompts/partials/${id}/publish`, { version: 1 })
      expect(back.body).to.include({ version: 1, published_version: 1 })
      const unknown = await api.post(`/v1/prompts/partials/${id}/publish`, { version: 7 })
      expect([unknown.status, unknown.error.code]).to.deep.equal([404, 'not_found'])
      const same = await api.put(`/v1/prompts/partials/${id}`, {
        string: 'two',
        version_description: 'again',
      })
      expect(same.body).to.include({ latest_version: 2, version_description: null })
      const third = await api.put(`/v1/prompts/partials/${id}`, { string: 'three', publish: true })
      expect(third.body).to.include({ latest_version: 3, published_version: 3 })
    })

    it('require their text without patch', async () => {
      const { id } = await partial('one')
      const { status, error } = await api.put(`/v1/prompts/partials/${id}`, { version_description: 'x' })
      expect([status, error.param]).to.deep.equal([400, '/string'])
    })

    it('are included by slug, by number and as the latest', async () => {
      const { id, slug } = await partial('[one {{x}}]')
      await api.put(`/v1/prompts/partials/${id}`, { string: '[two {{x}} {{y}}]' })
      const name = await prompt(`{{>${slug}}}-{{>${slug}@1}}-{{>${slug}@2}}-{{>${slug}@latest}}`)
      expect(await shown(name, { x: 'X', y: 'Y' })).to.equal('[one X]-[one X]-[two X Y]-[two X Y]')
      expect((await api.get(`/v1/prompts/${name}`)).body.variables).to.have.members(['x', 'y'])
      await api.post(`/v1/prompts/partials/${id}/publish`, { version: 2 })
      expect(await shown(name, { x: 'X', y: 'Y' })).to.equal('[two X Y]-[one X]-[two X Y]-[two X Y]')
    })

    it('can be named by a variable; a missing one renders nothing and is reported', async () => {
      const name = await prompt('a{{>>part}}b')
      expect(await shown(name, { part: '<{{x}}>', x: 'X' })).to.equal('a<X>b')
      const { headers } = await api.post(`/v1/prompts/${name}/render`, { variables: {} })
      expect(headers.get('x-gateway-prompt-missing-variables')).to.equal('part')
    })

    const refusedTexts = ['{{#a}}', '{{>nobody}}', '{{=a b=}}']
    for (const string of refusedTexts) {
      it(`are refused: ${string}`, async () => {
        const { status, error } = await api.post('/v1/prompts/partials', {
          name: 'x',
          workspace_id: 'default',
          string,
        })
        expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_template', '/string'])
      })
    }

    it('cannot include themselves, directly or through others', async () => {
      const a = await partial('a')
      const b = await partial(`b {{>${a.slug}}}`)
      for (const target of [a.slug, b.slug]) {
        const { status, error } = await api.put(`/v1/prompts/partials/${a.id}`, { string: `{{>${target}}}` })
        expect([status, error.code]).to.deep.equal([400, 'invalid_template'])
        expect(error.message).to.include('includes itself')
      }
      expect((await api.put(`/v1/prompts/partials/${a.id}`, { string: `{{>${a.slug}@1}}` })).status).to.equal(
        200,
      )
    })

    it('are at most 10 levels deep, whichever end is changed', async () => {
      let slug = (await partial('bottom')).slug
      const bottom = slug
      for (let level = 2; level <= 10; level += 1) slug = (await partial(`{{>${slug}}}`)).slug
      expect(
        (
          await api.post('/v1/prompts/partials', {
            name: 'x',
            workspace_id: 'default',
            string: `{{>${slug}}}`,
          })
        ).error.code,
      ).to.equal('invalid_template')
      expect(await shown(await prompt(`{{>${slug}}}`))).to.equal('bottom')
      const leaf = await partial('leaf')
      const { status, error } = await api.put(`/v1/prompts/partials/${bottom}?workspace_id=default`, {
        string: `{{>${leaf.slug}}}`,
      })
      expect([status, error.code]).to.deep.equal([400, 'invalid_template'])
    })

    it('with unescaped values are only for raw prompts', async () => {
      const { slug } = await partial('{{{x}}}')
      const refused = await api.post('/v1/prompts', {
        name: 'x',
        workspace_id: 'default',
        string: chatText(`{{>${slug}}}`),
        model: 'm',
      })
      expect([refused.status, refused.error.code]).to.deep.equal([400, 'invalid_template'])
      await prompt(`{{>${slug}}}`, { is_raw_template: 1 })
    })

    it('cannot be deleted while an active prompt includes them', async () => {
      const { id, slug } = await partial('x')
      const user = await prompt(`{{>${slug}}}`)
      const refused = await api.delete(`/v1/prompts/partials/${id}`)
      expect(refused.status).to.equal(409)
      await api.put(`/v1/prompts/${user}`, {
        string: chatText('y'),
        parameters: {},
        model: 'm',
        publish: true,
      })
      expect((await api.delete(`/v1/prompts/partials/${id}`)).body).to.deep.equal({
        id,
        object: 'prompt-partial',
        deleted: true,
      })
    })

    it('fail the call when they are missing', async () => {
      const { id, slug } = await partial('x')
      const user = await prompt(`{{>${slug}}}`)
      await api.put(`/v1/prompts/${user}`, {
        string: chatText('y'),
        parameters: {},
        model: 'm',
        publish: true,
      })
      await api.delete(`/v1/prompts/partials/${id}`)
      const { status, error } = await api.post(`/v1/prompts/${user}@1/render`, { variables: {} })
      expect([status, error.code]).to.deep.equal([400, 'invalid_template'])
    })
  })

  describe('labels', () => {
    const label = async (name: string) => {
      const reply = await api.post('/v1/labels', { name, workspace_id: 'default', color_code: '#fff' })
      expect(reply.status, reply.text).to.equal(200)
      return String(reply.body.id)
    }

    it('include three global ones, which cannot be changed', async () => {
      const { data } = await api.get('/v1/labels?workspace_id=default')
      const universal = data.filter(({ is_universal }) => is_universal === true)
      expect(universal.map(({ name }) => name)).to.have.members(['production', 'staging', 'development'])
      for (const { id, workspace_id } of universal) {
        expect(workspace_id).to.equal(null)
        expect((await api.get(`/v1/labels/${String(id)}`)).status).to.equal(200)
        expect((await api.put(`/v1/labels/${String(id)}`, { name: 'other' })).status).to.equal(409)
        expect((await api.delete(`/v1/labels/${String(id)}`)).status).to.equal(409)
      }
      const again = await api.get('/v1/labels')
      expect(again.data.map(({ id }) => id)).to.include.members(universal.map(({ id }) => id))
    })

    it('are visible to workspace keys', async () => {
      const made = await api.post('/v1/api-keys/workspace/service', {
        name: 'l',
        scopes: ['prompts.list', 'prompts.read'],
        workspace_id: 'default',
      })
      const as = api.as(String(made.body.key))
      const { data } = await as.get('/v1/labels')
      const production = data.find(({ name }) => name === 'production')
      expect((await as.get(`/v1/labels/${String(production?.id)}`)).status).to.equal(200)
    })

    for (const name of ['latest', 'default', 'published', '12', 'a b', '', 'x'.repeat(65)]) {
      it(`cannot be called "${name}"`, async () => {
        const { status, error } = await api.post('/v1/labels', { name, workspace_id: 'default' })
        expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', '/name'])
      })
    }

    it('have unique names', async () => {
      await label('unique')
      for (const name of ['unique', 'production']) {
        const { status, error } = await api.post('/v1/labels', { name, workspace_id: 'default' })
        expect([status, error.code]).to.deep.equal([409, 'conflict'])
      }
    })

    it('are on one version of a prompt, and can be moved', async () => {
      const id = await prompt('one')
      await api.put(`/v1/prompts/${id}`, { string: chatText('two'), parameters: {}, model: 'm' })
      const mine = await label('mine')
      const first = await api.put(`/v1/prompts/${id}/versions/1`, { label_id: mine })
      expect(first.body).to.deep.include({ prompt_version: 1, labels: ['mine'] })
      const second = await api.put(`/v1/prompts/${id}/versions/2`, { labels: ['mine', 'staging'] })
      expect(second.body).to.deep.include({ prompt_version: 2, labels: ['mine', 'staging'] })
      expect((await api.get(`/v1/prompts/${id}/versions/1`)).body.labels).to.deep.equal([])
      const fewer = await api.put(`/v1/prompts/${id}/versions/2`, { labels: ['staging'] })
      expect(fewer.body.labels).to.deep.equal(['staging'])
    })

    it('keep their version when they are renamed, and are unknown when they are deleted', async () => {
      const id = await prompt('one')
      const mine = await label('before')
      await api.put(`/v1/prompts/${id}/versions/1`, { labels: [mine] })
      await api.put(`/v1/labels/${mine}`, { name: 'after' })
      expect((await api.get(`/v1/prompts/${id}@after`)).body.labels).to.deep.equal(['after'])
      expect((await api.get(`/v1/prompts/${id}@before`)).error.code).to.equal('unknown_prompt')
      expect((await api.delete(`/v1/labels/${mine}`)).status).to.equal(200)
      expect((await api.get(`/v1/prompts/${id}@after`)).error.code).to.equal('unknown_prompt')
      expect((await api.get(`/v1/prompts/${id}`)).body.labels).to.deep.equal([])
    })

    const faults: [body: Record<string, unknown>, param: string][] = [
      [{ label_id: 'nobody' }, '/label_id'],
      [{ labels: ['staging', 'nobody'] }, '/labels/1'],
      [{ string: 'x' }, ''],
      [{}, ''],
    ]
    for (const [body, param] of faults) {
      it(`are refused: ${JSON.stringify(body)}`, async () => {
        const id = await prompt('one')
        const { status, error } = await api.put(`/v1/prompts/${id}/versions/1`, body)
        expect([status, error.code]).to.deep.equal([400, 'invalid_body'])
        expect(error.param === '/' ? '' : error.param).to.equal(param)
      })
    }

    it('named production can be moved by callers who can publish', async () => {
      const id = await prompt('one')
      const made = await api.post('/v1/api-keys/workspace/service', {
        name: 'u',
        scopes: ['prompts.read', 'prompts.update'],
        workspace_id: 'default',
      })
      const as = api.as(String(made.body.key))
      expect((await as.put(`/v1/prompts/${id}/versions/1`, { labels: ['staging'] })).status).to.equal(200)
      const { status, error } = await as.put(`/v1/prompts/${id}/versions/1`, { labels: ['production'] })
      expect([status, error.code, error.param]).to.deep.equal([403, 'missing_scope', 'prompts.publish'])
      await api.put(`/v1/prompts/${id}/versions/1`, { labels: ['production'] })
      expect((await as.put(`/v1/prompts/${id}/versions/1`, { labels: [] })).status).to.equal(403)
      for (const [method, path, body] of [
        ['PUT', 'makeDefault', { version: 1 }],
        ['POST', 'publish', { version: 1 }],
        ['PUT', '', { string: chatText('x'), parameters: {}, model: 'm', publish: true }],
      ] as const) {
        const refused = await as.call(method, `/v1/prompts/${id}/${path}`, { body })
        expect([refused.status, refused.error.param], path).to.deep.equal([403, 'prompts.publish'])
      }
    })
  })

  describe('collections', () => {
    const collection = async (extra: Record<string, unknown> = {}) => {
      const reply = await api.post('/v1/collections', { name: 'Box', workspace_id: 'default', ...extra })
      expect(reply.status, reply.text).to.equal(200)
      return reply.body as { id: string; slug: string }
    }

    it('count their prompts and children', async () => {
      const { id, slug } = await collection()
      expect(slug).to.match(/^col-box-/)
      await collection({ parent_collection_id: id })
      await prompt('x', { collection_id: slug })
      const { body } = await api.get(`/v1/collections/${id}`)
      expect(body).to.deep.include({
        object: 'collection',
        is_default: false,
        parent_collection_id: null,
        collection_details: { prompts_count: 1, child_collections_count: 1 },
      })
      const listed = await api.get(`/v1/prompts?workspace_id=default&collection_id=${slug}`)
      expect(listed.body.total).to.equal(1)
    })

    it('cannot be deleted when they are the default or not empty', async () => {
      expect((await api.delete('/v1/collections/default?workspace_id=default')).status).to.equal(409)
      const { id } = await collection()
      const child = await collection({ parent_collection_id: id })
      expect((await api.delete(`/v1/collections/${id}`)).status).to.equal(409)
      expect((await api.delete(`/v1/collections/${child.id}`)).status).to.equal(200)
      expect((await api.delete(`/v1/collections/${id}`)).status).to.equal(200)
    })

    it('are at most five levels deep, without a cycle', async () => {
      let parent = (await collection()).id
      const root = parent
      for (let level = 2; level <= 5; level += 1)
        parent = (await collection({ parent_collection_id: parent })).id
      const deep = await api.post('/v1/collections', {
        name: 'x',
        workspace_id: 'default',
        parent_collection_id: parent,
      })
      const cycle = await api.put(`/v1/collections/${root}`, { parent_collection_id: parent })
      const above = (await collection()).id
      const pushed = await api.put(`/v1/collections/${root}`, { parent_collection_id: above })
      for (const { status, error } of [deep, cycle, pushed]) {
        expect([status, error.code, error.param]).to.deep.equal([
          400,
          'invalid_body',
          '/parent_collection_id',
        ])
      }
    })

    it('with an unknown parent answer 404', async () => {
      const { status, error } = await api.post('/v1/collections', {
        name: 'x',
        workspace_id: 'default',
        parent_collection_id: 'nowhere',
      })
      expect([status, error.code, error.param]).to.deep.equal([404, 'not_found', '/parent_collection_id'])
    })
  })
})
