/** The first organisation is created once, however many replicas start together on one store. */

import type { Documents, ServiceContext } from '@gateway/contract'
import controlPlane from '@gateway/control-plane'
import { defaultWorkspaceId, firstOrganisationId } from '@gateway/core/domain'
import { expect } from 'chai'
import { createMemoryDocuments } from '#core/store/memory/documents'

/** What the opening of the control plane needs of a gateway. */
function contextOn(documents: Documents): ServiceContext {
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const context: Partial<ServiceContext> = {
    ports: { documents } as ServiceContext['ports'],
    log: quiet,
    providers: () => [],
    checks: () => [],
    secretManagers: new Map(),
    fileDocuments: () => [],
    validator: () => () => [],
    now: () => 1000,
  }
  return context as ServiceContext
}

describe('the first organisation', () => {
  it('is created once by replicas that start together, and not changed afterwards', async () => {
    const documents = createMemoryDocuments()
    await Promise.all([1, 2, 3].map(() => controlPlane.open(contextOn(documents))))
    const [organisation, ...others] = await documents.scan('organisation', null, 10)
    expect(others).to.deep.equal([])
    expect(organisation).to.include({ id: firstOrganisationId, version: 1 })
    const workspaces = await documents.scan('workspace', null, 10)
    expect(workspaces.map(({ id, slug, version }) => [id, slug, version])).to.deep.equal([
      [defaultWorkspaceId, 'default', 1],
    ])
    await controlPlane.open(contextOn(documents))
    expect((await documents.get('organisation', firstOrganisationId))?.version).to.equal(1)
  })
})
