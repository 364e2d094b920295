/** The number of documents by kind, status and place, updated in every commit: totals of lists need no scan. */

import type { DocumentFilter } from '@gateway/contract'
import { sql } from 'kysely'
import type { Queries } from './database.ts'
import { chunk } from './values.ts'

export interface CountedPlace {
  kind: string
  organisation_id: string | null
  workspace_id: string | null
  status: string
}

/** Adds to the numbers; sums of 0 are skipped. */
export async function addCounts(
  queries: Queries,
  changes: readonly { place: CountedPlace; by: number }[],
): Promise<void> {
  const sums = new Map<string, { place: CountedPlace; by: number }>()
  for (const { place, by } of changes) {
    const { kind, organisation_id, workspace_id, status } = place
    const key = JSON.stringify([kind, organisation_id, workspace_id, status])
    sums.set(key, { place, by: by + (sums.get(key)?.by ?? 0) })
  }
  const rows = [...sums.values()]
    .filter(({ by }) => by !== 0)
    .map(({ place, by }) => ({
      kind: place.kind,
      organisation_id: place.organisation_id ?? '',
      workspace_id: place.workspace_id ?? '',
      status: place.status,
      count: by,
    }))
  for (const some of chunk(rows)) {
    await queries
      .insertInto('document_counts')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['kind', 'organisation_id', 'workspace_id', 'status']).doUpdateSet({
          count: sql<number>`document_counts.count + excluded.count`,
        }),
      )
      .execute()
  }
}

/** The number of documents in these places, ignoring the other members of the filter. */
export async function readCount(queries: Queries, kind: string, filter: DocumentFilter): Promise<number> {
  const { organisation_id: organisation, workspace_ids: workspaces, statuses } = filter
  let query = queries.selectFrom('document_counts').where('kind', '=', kind)
  if (organisation !== undefined) query = query.where('organisation_id', '=', organisation ?? '')
  if (workspaces !== undefined)
    query = query.where(
      'workspace_id',
      'in',
      workspaces.map((id) => id ?? ''),
    )
  if (statuses !== undefined) query = query.where('status', 'in', statuses)
  const row = await query.select(sql<number>`coalesce(sum(count), 0)`.as('total')).executeTakeFirstOrThrow()
  return row.total
}
