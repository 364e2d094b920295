/** The first organisation is created once, even if several replicas start together on one store. */

import { defaultWorkspaceId, firstOrganisationId } from '@gateway/domain'
import { expect } from 'chai'
import { beginFirstOrganisation } from '#control-plane/organisations/first-organisation'
import { createMemoryDocuments } from '#store/memory/documents'

describe('the first organisation', () => {
  it('is created once by replicas that start together, and not changed afterwards', async () => {
    const documents = createMemoryDocuments()
    await Promise.all([1, 2, 3].map(() => beginFirstOrganisation({ documents, now: () => 1000 })))
    const [organisation, ...others] = await documents.scan('organisation', null, 10)
    expect(others).to.deep.equal([])
    expect(organisation).to.include({ id: firstOrganisationId, version: 1 })
    const workspaces = await documents.scan('workspace', null, 10)
    expect(workspaces.map(({ id, slug, version }) => [id, slug, version])).to.deep.equal([
      [defaultWorkspaceId, 'default', 1],
    ])
    await beginFirstOrganisation({ documents, now: () => 1000 })
    expect((await documents.get('organisation', firstOrganisationId))?.version).to.equal(1)
  })
})
