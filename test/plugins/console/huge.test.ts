/** A list of 100,000 keys: a bounded page of it, further pages, and a search. */
import { randomUUID } from 'node:crypto'
import type { DocumentWrite } from '@gateway/contract'
import { firstOrganisationId, hashKeyOf } from '@gateway/core/domain'
import { expect } from 'chai'
import type { TestGateway } from '../../support/gateway.ts'
import { accessibilityFaults } from './browser.ts'
import { firstOf } from './furnish.ts'
import { useConsole } from './suite.ts'

const count = 100_000
const perCommit = 5_000

/** Stored as the control plane would store them, by a pattern that it wrote itself. */
async function addKeys(gateway: TestGateway): Promise<void> {
  await gateway.post('/v1/api-keys', {
    name: 'pattern',
    type: 'workspace-service',
    workspace_id: 'default',
    scopes: ['completions.write'],
  })
  const { id } = await firstOf(gateway, '/v1/api-keys?search=pattern')
  const { documents } = gateway.runtime.store
  const pattern = await documents.get('api_key', String(id))
  if (pattern === null) throw new Error('The pattern is not stored.')
  const { version: _, ...document } = pattern
  for (let from = 1; from < count; from += perCommit) {
    const writes: DocumentWrite[] = []
    for (let index = from; index < Math.min(from + perCommit, count); index += 1) {
      const name = `key-${String(index).padStart(6, '0')}`
      writes.push({
        op: 'put',
        expected: 0,
        document: {
          ...document,
          id: randomUUID(),
          organisation_id: firstOrganisationId,
          name,
          keys: [hashKeyOf(`hash of ${name}`)],
          attributes: { ...document.attributes, name: [name] },
          created_at: document.created_at + index,
        },
      })
    }
    await documents.commit(writes)
  }
}

describe('a list of 100,000 keys', function () {
  const suite = useConsole(this, { prepare: addKeys })

  it('is shown a page at a time, and searched by the server', async () => {
    const { page } = suite
    const lists: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === '/v1/api-keys') lists.push(search)
    })
    await suite.open('Keys')
    await page.getByText('1–50 of 100,000').waitFor()
    const rows = page.getByRole('table', { name: 'Keys' }).getByRole('row')
    expect(await rows.count()).to.equal(51)
    expect(lists, 'one query for a page').to.have.lengthOf(1)
    expect(lists[0]).to.include('page_size=50')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51–100 of 100,000').waitFor()
    expect(page.url()).to.include('current_page=1')
    await page.getByRole('searchbox', { name: 'Search' }).fill('key-012345')
    await page.getByText('1–1 of 1').waitFor()
    await page.getByRole('link', { name: 'key-012345' }).waitFor()
    await page.goBack()
    await page.getByText('1–50 of 100,000').waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })
})
