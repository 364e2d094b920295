/** Removes documents that are kept for only some days, with any status. */
import type { Job, ServiceContext } from '@gateway/contract'

const everyMs = 3_600_000
const dayMs = 86_400_000
const pageSize = 500

export interface KeptDocuments {
  kind: string
  days: number
  /** The name of the job. */
  name: string
}

export const forgetOld =
  ({ kind, days, name }: KeptDocuments) =>
  ({ documents }: ServiceContext<'documents'>): Job => ({
    name,
    intervalMs: everyMs,
    async run(nowMs) {
      for (;;) {
        const { documents: old } = await documents.list(
          kind,
          { created_to: nowMs - days * dayMs },
          { sort: 'created_at', order: 'asc', offset: 0, limit: pageSize },
        )
        if (old.length > 0) await documents.commit(old.map(({ id }) => ({ op: 'remove', kind, id })))
        if (old.length < pageSize) return
      }
    },
  })
