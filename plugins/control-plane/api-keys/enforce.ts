/**
 * Applies `user_api_key_rotation_period` (management contract, section 5) to the existing keys when it is saved: each
 * user key with a different policy, or none, gets the enforced one.
 */

import { type DocumentWrite, isGatewayError, type ServiceContext } from '@gateway/contract'
import { type DocumentOf, kinds, typedDocuments } from '@gateway/domain'
import { commitAsSystem } from '../engine/index.ts'
import type { KeyDocument } from './data.ts'
import { policyOf } from './policy.ts'
import { apiKeys } from './resource.ts'
import { changedKey } from './rotation.ts'
import { userKeySettings } from './user.ts'

const pageSize = 200

/** Gives an organisation's user keys the rotation period that is enforced in their workspaces. */
export async function enforceRotation(
  context: ServiceContext<'documents' | 'now'>,
  organisationId: string,
): Promise<void> {
  const documents = typedDocuments(context.documents)
  const organisation = await documents.get(kinds.organisation, organisationId)
  const workspaces = new Map<string, DocumentOf<'workspace'> | null>()
  for (let offset = 0; ; offset += pageSize) {
    const page = await documents.list(
      kinds.apiKey,
      {
        organisation_id: organisationId,
        statuses: ['active', 'exhausted', 'expired'],
        attributes: { type: ['workspace-user'] },
      },
      // A policy change affects neither the id nor the filter, so pages stay stable.
      { sort: 'id', order: 'asc', offset, limit: pageSize },
    )
    for (const found of page.documents) {
      const id = found.workspace_id ?? ''
      if (!workspaces.has(id)) workspaces.set(id, await documents.get(kinds.workspace, id))
      const { rotationPeriod } = userKeySettings(organisation, workspaces.get(id) ?? null)
      if (rotationPeriod !== null) await enforce(context, found, rotationPeriod)
    }
    if (page.documents.length < pageSize) return
  }
}

async function enforce(
  context: ServiceContext<'documents' | 'now'>,
  document: KeyDocument,
  period: 'weekly' | 'monthly',
): Promise<void> {
  if (document.data.rotation_policy?.rotation_period === period) return
  const nowMs = context.now()
  const changed = { rotation_policy: policyOf(period, nowMs) }
  const draft = changedKey(() => apiKeys, { document, changed, nowMs })
  const write: DocumentWrite = { op: 'put', document: draft, expected: document.version }
  try {
    await commitAsSystem(context, document.organisation_id ?? '', {
      writes: [write],
      note: {
        action: 'update',
        resource_type: apiKeys.object,
        resource_id: document.id,
        workspace_id: document.workspace_id,
        before: { rotation_policy: document.data.rotation_policy },
        after: changed,
      },
    })
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
    // It was written concurrently, perhaps without knowing the setting: check its current state again.
    const current = await typedDocuments(context.documents).get(kinds.apiKey, document.id)
    if (current !== null && current.status !== 'archived') {
      await enforce(context, current, period)
    }
  }
}
