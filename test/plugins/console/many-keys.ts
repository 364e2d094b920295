/** 100,000 API keys, stored in the form of the control plane. */
import { randomUUID } from 'node:crypto'
import type { DocumentWrite } from '@gateway/contract'
import { firstOrganisationId, hashKeyOf } from '@gateway/domain'
import type { TestGateway } from '../../support/gateway.ts'
import { firstOf } from './furnish.ts'

const count = 100_000
const perCommit = 5_000

/** Adds copies of a key that the control plane has written. */
export async function addManyKeys(gateway: TestGateway): Promise<void> {
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
