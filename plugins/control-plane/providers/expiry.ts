/** Marks expired providers, every minute in one process, because lists filter by the stored status. */

import { isGatewayError, type Job, type ServiceContext, type StoredDocument } from '@gateway/contract'
import { type DocumentOf, kinds, type ProviderData, typedDocuments } from '@gateway/domain'
import { commitAsSystem } from '../engine/index.ts'

const pageSize = 500

/** Whether the provider has expired. */
export const isExpired = ({ expires_at: end }: Pick<ProviderData, 'expires_at'>, nowMs: number): boolean =>
  end !== null && end !== undefined && Date.parse(end) <= nowMs

export const createProviderExpiry = (context: ServiceContext<'documents' | 'now'>): Job => ({
  name: 'provider-expiry',
  intervalMs: 60_000,
  async run(nowMs) {
    const documents = typedDocuments(context.documents)
    const filter = { statuses: ['active', 'exhausted'], attributes: { can_expire: ['true'] } }
    const due: DocumentOf<'provider'>[] = []
    for (let offset = 0; ; offset += pageSize) {
      const page = { offset, limit: pageSize }
      const found = await documents.list(kinds.provider, filter, { sort: 'id', ...page })
      due.push(...found.documents.filter(({ data }) => isExpired(data, nowMs)))
      if (found.documents.length < pageSize) break
    }
    for (const document of due) await expire(context, document)
  },
})

async function expire(context: ServiceContext<'documents' | 'now'>, before: StoredDocument): Promise<void> {
  const { version, ...document } = before
  try {
    await commitAsSystem(context, before.organisation_id ?? '', {
      writes: [{ op: 'put', document: { ...document, status: 'expired' }, expected: version }],
      note: {
        action: 'expire',
        resource_type: 'provider',
        resource_id: before.id,
        workspace_id: before.workspace_id,
        before: { status: before.status },
        after: { status: 'expired' },
      },
    })
  } catch (error) {
    // Changed concurrently; the next run uses the current state.
    if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
  }
}
