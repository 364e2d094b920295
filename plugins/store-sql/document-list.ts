/**
 * Lists of documents: a total, and a page that is found in an index alone before its documents are read. Totals by place
 * and status are kept; for every other filter, few matches are found and sorted at once, and many are counted and walked
 * in order. Postgres chooses its indexes from its statistics; SQLite, which keeps none here, is told which.
 * https://www.sqlite.org/lang_indexedby.html
 */
import type { DocumentFilter, DocumentOrder } from '@gateway/core/contract'
import { type Selectable, sql } from 'kysely'
import type { Database, Engine } from './database.ts'
import { readCount } from './document-counts.ts'
import {
  all,
  attributeConditions,
  type Condition,
  conditions,
  isPlaced,
  matchesNone,
  placeConditions,
} from './document-filter.ts'
import type { DocumentsTable } from './schema.ts'

type Row = Selectable<DocumentsTable>
type Reader = Pick<Database, 'engine' | 'read'>

interface Page {
  offset: number
  limit: number
}

/** More matches than these are walked in order. */
const fewest = 2000

const columns = {
  created_at: 'created_at',
  last_updated_at: 'last_updated_at',
  name: 'name_order',
  id: 'id',
} as const

export async function listRows(
  reader: Reader,
  kind: string,
  filter: DocumentFilter,
  order: DocumentOrder,
  page: Page,
): Promise<{ total: number; rows: Row[] }> {
  if (matchesNone(filter)) return { total: 0, rows: [] }
  const few = await findFew(reader, kind, filter, order)
  const total = few?.length ?? (await countMatches(reader, kind, filter))
  const ids =
    few?.slice(page.offset, page.offset + page.limit) ??
    (await walk(reader, kind, filter, order, { ...page, total }))
  return { total, rows: await readRows(reader, kind, ids) }
}

/** The ids of all that match, in order; null when they are many. */
async function findFew(
  reader: Reader,
  kind: string,
  filter: DocumentFilter,
  { sort = 'created_at', order = 'desc' }: DocumentOrder,
): Promise<string[] | null> {
  const narrowed = await narrow(reader, kind, filter)
  if (narrowed === null) return null
  if (matchesNone(narrowed)) return []
  const { engine, read } = reader
  const { rows } = await sql<{ id: string; value: string | number }>`
    select id, ${sql.ref(columns[sort])} as value from documents ${hint(engine, narrowed)}
    where ${all(conditions(engine, kind, narrowed, {}))} limit ${fewest + 1}`.execute(read)
  if (rows.length > fewest) return null
  const sign = order === 'asc' ? 1 : -1
  return rows
    .sort((left, right) => sign * (compare(left.value, right.value) || compare(left.id, right.id)))
    .map(({ id }) => id)
}

function compare(left: string | number, right: string | number): number {
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  return Number(left) - Number(right)
}

/**
 * The filter by which few are sought, with the ids of an attribute that few have; null when it is not worth looking,
 * since of what is counted the number is known, and an attribute that many have finds many.
 */
async function narrow(reader: Reader, kind: string, filter: DocumentFilter): Promise<DocumentFilter | null> {
  if (isPlaced(filter)) {
    const isNarrow =
      filter.workspace_ids !== undefined && (await countMatches(reader, kind, filter)) <= fewest
    return isNarrow ? filter : null
  }
  if (filter.ids !== undefined || filter.attributes === undefined) return filter
  for (const [name, values] of Object.entries(filter.attributes)) {
    const { rows } = await sql<{ id: string }>`select id from document_attributes
      where ${all([sql`kind = ${kind}`, ...attributeConditions(name, values)])} limit ${fewest + 1}`.execute(
      reader.read,
    )
    if (rows.length > fewest) continue
    const { [name]: _, ...attributes } = filter.attributes
    return { ...filter, attributes, ids: [...new Set(rows.map(({ id }) => id))] }
  }
  return null
}

/** The index by which SQLite finds few. */
function hint(engine: Engine, { ids, search, workspace_ids: workspaces }: DocumentFilter): Condition {
  if (engine !== 'sqlite') return sql``
  // That of the primary key, kind and id.
  if (ids !== undefined) return sql`indexed by sqlite_autoindex_documents_1`
  if (search) return sql`indexed by documents_name`
  return workspaces === undefined ? sql`` : sql`indexed by documents_workspace`
}

async function countMatches({ engine, read }: Reader, kind: string, filter: DocumentFilter): Promise<number> {
  if (isPlaced(filter)) return readCount(read, kind, filter)
  const { attributes = {}, ...others } = filter
  const [only, ...more] = Object.entries(attributes)
  const query =
    only !== undefined && more.length === 0 && isPlaced(others)
      ? sql`select ${only[1].length === 1 ? sql`count(*)` : sql`count(distinct id)`} as total
          from document_attributes where ${all([
            sql`kind = ${kind}`,
            ...placeConditions(filter, sql`workspace_id`),
            ...attributeConditions(...only),
          ])}`
      : sql`select count(*) as total from documents where ${all(conditions(engine, kind, filter, {}))}`
  const { rows } = await query.execute(read)
  return (rows as { total: number }[])[0]?.total ?? 0
}

/** The ids of a page, found along an index; from its other end when that is nearer. */
async function walk(
  { engine, read }: Reader,
  kind: string,
  filter: DocumentFilter,
  { sort = 'created_at', order = 'desc' }: DocumentOrder,
  { offset, limit: asked, total }: Page & { total: number },
): Promise<string[]> {
  const limit = Math.min(asked, total - offset)
  if (limit <= 0) return []
  const isReversed = offset > total / 2
  const direction = (order === 'asc') === isReversed ? sql`desc` : sql`asc`
  const hints = {
    // The index by workspace is in the order of creation only, and only for one workspace.
    hidesWorkspace: sort !== 'created_at' || filter.workspace_ids?.length !== 1,
  }
  const { rows } = await sql<{ id: string }>`select id from documents
    where ${all(conditions(engine, kind, filter, hints))}
    order by ${sql.ref(columns[sort])} ${direction}, id ${direction}
    limit ${limit} offset ${isReversed ? total - offset - limit : offset}`.execute(read)
  const ids = rows.map(({ id }) => id)
  return isReversed ? ids.reverse() : ids
}

/** In the order of the ids; what was removed since they were found is left out. */
async function readRows({ read }: Reader, kind: string, ids: readonly string[]): Promise<Row[]> {
  if (ids.length === 0) return []
  const rows = await read
    .selectFrom('documents')
    .selectAll()
    .where('kind', '=', kind)
    .where('id', 'in', ids)
    .execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}
