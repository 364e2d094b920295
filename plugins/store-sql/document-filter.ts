/** Filters of documents as query conditions, and facts about a filter that need no query. */
import type { DocumentFilter } from '@gateway/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Engine } from './database.ts'
import { toCondition } from './document-condition.ts'
import { clean } from './values.ts'

export type Condition = RawBuilder<unknown>

/** Whether a list of the filter is empty, which matches nothing. */
export function matchesNone({ workspace_ids, statuses, ids, attributes }: DocumentFilter): boolean {
  return [workspace_ids, statuses, ids, ...Object.values(attributes ?? {})].some((list) => list?.length === 0)
}

/** Whether it only filters by columns that are counted in every commit. */
export function isPlaced({
  ids,
  search,
  attributes,
  created_from: from,
  created_to: to,
  where,
}: DocumentFilter): boolean {
  return !search && [ids, attributes, from, to, where].every((one) => one === undefined)
}

/** Joins conditions with `and`. */
export const all = (list: readonly Condition[]) => sql.join(list, sql` and `)
const list = (values: readonly (string | number)[]) => sql.join(values.map((value) => sql`${value}`))

interface ConditionsOptions {
  filter: DocumentFilter
  hints: { hidesWorkspace?: boolean }
}

/** All conditions of a filter on the documents table. */
export function conditions(engine: Engine, kind: string, { filter, hints }: ConditionsOptions): Condition[] {
  const { ids, search, attributes, created_from: from, created_to: to, where } = filter
  const workspace = engine === 'sqlite' && hints.hidesWorkspace ? sql`+workspace_id` : sql`workspace_id`
  const found = [sql`kind = ${kind}`, ...placeConditions(filter, workspace)]
  if (ids !== undefined) found.push(sql`id in (${list(ids)})`)
  if (from !== undefined) found.push(sql`created_at >= ${from}`)
  if (to !== undefined) found.push(sql`created_at < ${to}`)
  if (where !== undefined) found.push(toCondition(engine, kind, where))
  if (search) {
    const position = engine === 'sqlite' ? sql`instr` : sql`strpos`
    found.push(sql`${position}(search_text, ${clean(search.toLowerCase())}) > 0`)
  }
  for (const [name, values] of Object.entries(attributes ?? {})) {
    // Looked up for each document. Without the offset Postgres turns it into a join, a bad one while it has no
    // statistics; without the limit SQLite 3.53.0 turns it into one that skips a document once for each of its values.
    found.push(sql`exists (select 1 from document_attributes as sought
      where sought.kind = documents.kind and sought.id = documents.id and ${all(attributeConditions(name, values))}
      ${engine === 'postgres' ? sql`offset 0` : sql`limit 1`})`)
  }
  return found
}

/** Conditions on the attributes table. */
export function attributeConditions(name: string, values: readonly string[]): Condition[] {
  return [sql`name = ${name}`, sql`value in (${list(values.map(clean))})`]
}

/** Conditions on documents or attributes, which have these columns too. */
export function placeConditions(
  { organisation_id: organisation, workspace_ids: workspaces, statuses }: DocumentFilter,
  workspace: Condition,
): Condition[] {
  const found: Condition[] = []
  if (organisation === null) found.push(sql`organisation_id is null`)
  else if (organisation !== undefined) found.push(sql`organisation_id = ${organisation}`)
  if (workspaces !== undefined) {
    const named = workspaces.filter((id) => id !== null)
    const either = [
      ...(named.length > 0 ? [sql`${workspace} in (${list(named)})`] : []),
      ...(named.length < workspaces.length ? [sql`${workspace} is null`] : []),
    ]
    found.push(sql`(${sql.join(either, sql` or `)})`)
  }
  if (statuses !== undefined) found.push(sql`status in (${list(statuses)})`)
  return found
}
