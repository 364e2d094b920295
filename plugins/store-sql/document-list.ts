/**
 * Lists of documents: a total, and a page that is found in an index alone before its documents are read. Totals by
 * place and status are stored. For other filters, a small number of matches is found and sorted at once; a large number
 * is counted and scanned in order. Postgres chooses indexes from its statistics; SQLite, which has none here, gets
 * index hints. https://www.sqlite.org/lang_indexedby.html
 */
import type { DocumentFilter, DocumentPaging } from '@gateway/contract'
import { sql } from 'kysely'
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
import { type DocumentRow, documentColumns } from './document-rows.ts'

type Reader = Pick<Database, 'engine' | 'read'>

interface ListQuery extends DocumentPaging {
  kind: string
  filter: DocumentFilter
}

/** More matches than this are scanned in order. */
const fewest = 2000

const columns = {
  created_at: 'created_at',
  last_updated_at: 'last_updated_at',
  name: 'name_order',
  id: 'id',
} as const

const members = sql.join(documentColumns.map((name) => sql.ref(name)))

export async function listRows(
  reader: Reader,
  query: ListQuery,
): Promise<{ total: number; rows: DocumentRow[] }> {
  const { kind, filter, offset, limit } = query
  if (matchesNone(filter)) return { total: 0, rows: [] }
  if (filter.ids !== undefined && offset === 0 && filter.ids.length <= limit) {
    const rows = await readNamed(reader, query)
    return { total: rows.length, rows }
  }
  const few = await findFew(reader, query)
  if (few !== null) {
    const ids = few.slice(offset, offset + limit)
    return { total: few.length, rows: await readRows(reader, kind, ids) }
  }
  if (offset <= fewest) {
    // This near the start, the page can be found without the total.
    const [total, rows] = await Promise.all([countMatches(reader, kind, filter), walk(reader, query)])
    return { total, rows }
  }
  const total = await countMatches(reader, kind, filter)
  return { total, rows: await walkNearest(reader, query, total) }
}

/** All matches among the ids that a filter names, in order. */
async function readNamed(
  { engine, read }: Reader,
  { kind, filter, sort = 'created_at', order = 'desc' }: ListQuery,
): Promise<DocumentRow[]> {
  const { rows } = await sql<Sortable & DocumentRow>`
    select ${members}, ${sql.ref(columns[sort])} as value from documents ${hint(engine, filter)}
    where ${all(conditions(engine, kind, { filter, hints: {} }))}`.execute(read)
  return rows.sort(compareRows(order))
}

/** The ids of all matches, in order. Null if there are many. */
async function findFew(
  reader: Reader,
  { kind, filter, sort = 'created_at', order = 'desc' }: ListQuery,
): Promise<string[] | null> {
  const narrowed = await narrow(reader, kind, filter)
  if (narrowed === null) return null
  if (matchesNone(narrowed)) return []
  const { engine, read } = reader
  const { rows } = await sql<Sortable>`
    select id, ${sql.ref(columns[sort])} as value from documents ${hint(engine, narrowed)}
    where ${all(conditions(engine, kind, { filter: narrowed, hints: {} }))} limit ${fewest + 1}`.execute(read)
  if (rows.length > fewest) return null
  return rows.sort(compareRows(order)).map(({ id }) => id)
}

interface Sortable {
  id: string
  /** The value of the sort column. */
  value: string | number
}

function compareRows(order: 'asc' | 'desc'): (left: Sortable, right: Sortable) => number {
  const sign = order === 'asc' ? 1 : -1
  return (left, right) => sign * (compare(left.value, right.value) || compare(left.id, right.id))
}

function compare(left: string | number, right: string | number): number {
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  return Number(left) - Number(right)
}

/**
 * The filter for finding few matches, with the ids of a selective attribute. Null if searching is not worthwhile: the
 * number of counted documents is known, and a common attribute matches many.
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

/** The index with which SQLite finds few matches. */
function hint(engine: Engine, { ids, search, workspace_ids: workspaces }: DocumentFilter): Condition {
  if (engine !== 'sqlite') return sql``
  // The index of the primary key (kind, id).
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
      : sql`select count(*) as total from documents where ${all(conditions(engine, kind, { filter, hints: {} }))}`
  const { rows } = await query.execute(read)
  return (rows as { total: number }[])[0]?.total ?? 0
}

/** A page far from the start, scanned from the end if that is nearer. */
async function walkNearest(reader: Reader, query: ListQuery, total: number): Promise<DocumentRow[]> {
  const { order, offset } = query
  const limit = Math.min(query.limit, total - offset)
  if (limit <= 0) return []
  if (offset <= total / 2) return walk(reader, { ...query, limit })
  const reversed = order === 'asc' ? 'desc' : 'asc'
  return (await walk(reader, { ...query, order: reversed, offset: total - offset - limit, limit })).reverse()
}

/** A page whose ids are found by scanning an index. */
async function walk(
  { engine, read }: Reader,
  { kind, filter, sort = 'created_at', order = 'desc', offset, limit }: ListQuery,
): Promise<DocumentRow[]> {
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const hints = {
    // The index by workspace is in order of creation, and only for one workspace.
    hidesWorkspace: sort !== 'created_at' || filter.workspace_ids?.length !== 1,
  }
  const sorted = sql`order by ${sql.ref(columns[sort])} ${direction}, id ${direction}`
  // SQLite keeps the order of a cross join: first the page, then its documents.
  const { rows } = await sql<DocumentRow>`select ${members} from
    (select id as page_id from documents where ${all(conditions(engine, kind, { filter, hints }))}
    ${sorted} limit ${limit} offset ${offset}) as page
    cross join documents where documents.kind = ${kind} and documents.id = page_id
    ${sorted}`.execute(read)
  return rows
}

/** In the order of the ids. Documents removed since the ids were found are omitted. */
async function readRows({ read }: Reader, kind: string, ids: readonly string[]): Promise<DocumentRow[]> {
  if (ids.length === 0) return []
  const rows = await read
    .selectFrom('documents')
    .select(documentColumns)
    .where('kind', '=', kind)
    .where('id', 'in', ids)
    .execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}
