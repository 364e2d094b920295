/** API keys are found by the SHA-256 of their text and by their mask, in every status. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('the list of API keys', () => {
  const api = openManagement()
  const namesOf = async (query: string) =>
    (await api.get(`/v1/api-keys?${query}`)).data.map(({ name }) => name)
  let key = ''

  before(async () => {
    const own = { workspace_id: 'default', type: 'workspace-service', scopes: ['completions.write'] }
    key = String((await api.post('/v1/api-keys', { ...own, name: 'one' })).body.key)
    await api.post('/v1/api-keys', { ...own, name: 'two' })
  })

  it('is narrowed to the key with a SHA-256', async () => {
    const hash = createHash('sha256').update(key).digest('hex')
    expect(await namesOf(`key_sha256=${hash}`)).to.deep.equal(['one'])
    expect(await namesOf(`key_sha256=${'0'.repeat(64)}`)).to.deep.equal([])
    expect(await namesOf(`key_sha256=${hash}&search=two`)).to.deep.equal([])
  })

  it('is narrowed to the keys with a mask', async () => {
    expect(await namesOf(`masked_key=${key.slice(0, 3)}****${key.slice(-4)}`)).to.deep.equal(['one'])
  })

  it('refuses values that are not a SHA-256', async () => {
    const { status, error } = await api.get(`/v1/api-keys?key_sha256=${encodeURIComponent(key)}`)
    expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_query', 'query/key_sha256'])
  })
})
