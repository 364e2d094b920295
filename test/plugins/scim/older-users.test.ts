/** Users that were stored before SCIM filters had attributes are found by them after a start. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'

describe('users of an earlier version', () => {
  let directory = ''
  let gateway: TestGateway | null = null
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'older-users-'))
  })
  afterEach(async () => {
    await gateway?.stop()
    gateway = null
  })
  after(() => rm(directory, { recursive: true, force: true }))

  const start = async () => {
    const environment = {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_DATA_DIR: directory,
      GATEWAY_STORE_URL: `sqlite:${directory}/gateway.db`,
    }
    gateway = await startGateway({}, { environment })
    return gateway
  }

  it('are found by SCIM filters after a start', async () => {
    const first = await start()
    const body = JSON.stringify({ userName: 'Older@example.com', displayName: 'Older User' })
    const made = await first.post('/scim/v2/Users', body, { 'content-type': 'application/scim+json' })
    expect(made.status).to.equal(201)
    const { id } = (await made.json()) as { id: string }
    const { documents } = first.runtime.store
    const stored = await documents.get('user', id)
    if (stored === null) throw new Error('The user is not stored.')
    const { version, ...document } = stored
    const { role = [], email = [] } = document.attributes
    const markers = await documents.scan('migration', null, 100)
    await documents.commit([
      { op: 'put', document: { ...document, attributes: { role, email } }, expected: version },
      ...markers.map((marker) => ({ op: 'remove' as const, kind: marker.kind, id: marker.id })),
    ])
    const find = async (at: TestGateway, filter: string) => {
      const found = await at.get(`/scim/v2/Users?filter=${encodeURIComponent(filter)}`)
      return ((await found.json()) as { totalResults: number }).totalResults
    }
    expect(await find(first, 'userName eq "older@example.com"')).to.equal(0)
    await first.stop()

    const second = await start()
    for (const filter of [
      'userName eq "older@example.com"',
      'displayName sw "Older"',
      'emails.value co "OLDER"',
    ])
      expect(await find(second, filter), filter).to.equal(1)
    const read = await second.runtime.store.documents.get('user', id)
    expect(read?.data).to.deep.equal(document.data)
  })
})
