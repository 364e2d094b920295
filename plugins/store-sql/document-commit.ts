/**
 * Writes documents in bulk, in a transaction that excludes all other commits of documents. Data that was read first is
 * therefore still valid when it is written, and revisions become visible in order. Errors: `conflict`,
 * `precondition_failed`.
 */
import { type DocumentDraft, type DocumentWrite, GatewayError, type StoredDocument } from '@gateway/contract'
import type { Engine, EngineQueries, Queries } from './database.ts'
import { addCounts, type CountedPlace } from './document-counts.ts'
import { attributeColumns, attributeRows, rowColumns, toDocument, toRow } from './document-rows.ts'
import { insertRows, type RowInsert, type RowValues } from './rows.ts'
import { chunk, clean } from './values.ts'

/** The stored state of a document before a write. */
interface Present extends CountedPlace {
  id: string
  version: number
  keys: string
  attributes: string
}

/** A written or removed document, for change notifications. */
export interface Change {
  kind: string
  id: string
  organisation_id: string | null
  workspace_id: string | null
}

export interface Committed {
  documents: StoredDocument[]
  /** Changes by writes that are not quiet. */
  changes: Change[]
}

/** Writes all in order. If a run has an error, rejects before writing anything of it. */
export async function commitWrites(
  engine: Engine,
  queries: Queries,
  writes: readonly DocumentWrite[],
): Promise<Committed> {
  const committed: Committed = { documents: [], changes: [] }
  for (const run of splitRuns(writes)) await commitRun({ engine, queries }, run, committed)
  return committed
}

const targetOf = (write: DocumentWrite) => (write.op === 'put' ? write.document : write)

/** Splits writes into runs of one kind in which each document occurs once. Each run can be written in bulk. */
function splitRuns(writes: readonly DocumentWrite[]): DocumentWrite[][] {
  const runs: DocumentWrite[][] = []
  let ids = new Set<string>()
  let kindOfRun: string | undefined
  for (const write of writes) {
    const { kind, id } = targetOf(write)
    const run = runs.at(-1)
    if (run === undefined || kind !== kindOfRun || ids.has(id)) {
      runs.push([write])
      ids = new Set([id])
      kindOfRun = kind
    } else {
      run.push(write)
      ids.add(id)
    }
  }
  return runs
}

async function commitRun(
  transaction: EngineQueries,
  run: readonly DocumentWrite[],
  committed: Committed,
): Promise<void> {
  const [first] = run
  if (first === undefined) return
  const { queries } = transaction
  const { kind } = targetOf(first)
  const present = await readPresent(
    queries,
    kind,
    run.map((write) => targetOf(write).id),
  )
  for (const write of run) checkVersion(write, present.get(targetOf(write).id)?.version ?? 0)

  const puts = run.flatMap((write) => (write.op === 'put' ? [write] : []))
  const drafts = puts.map(({ document }) => document)
  const rows = puts.map(({ document, version }) =>
    toRow(document, version ?? (present.get(document.id)?.version ?? 0) + 1),
  )
  const removed = run.flatMap((write) => (write.op === 'remove' && present.has(write.id) ? [write.id] : []))
  const changes = { kind, drafts, removed, present }
  await writeKeys(transaction, changes)
  await writeAttributes(transaction, changes)
  await insertRows(
    transaction,
    rowUpsert,
    rows.flatMap((row) => valuesOf(rowColumns, row)),
  )
  await deleteIds(queries, { table: 'documents', kind, ids: removed })
  await addCounts(queries, [
    ...run.flatMap((write) => {
      const before = present.get(targetOf(write).id)
      return before === undefined ? [] : [{ place: before, by: -1 }]
    }),
    ...drafts.map((place) => ({ place, by: 1 })),
  ])

  committed.documents.push(...rows.map((row) => toDocument(row)))
  for (const write of run) {
    const changed = write.op === 'put' ? write.document : present.get(write.id)
    if (changed === undefined || (write.op === 'put' && write.isQuiet === true)) continue
    const { organisation_id, workspace_id } = changed
    committed.changes.push({ kind, id: changed.id, organisation_id, workspace_id })
  }
}

async function readPresent(
  queries: Queries,
  kind: string,
  ids: readonly string[],
): Promise<Map<string, Present>> {
  const present = new Map<string, Present>()
  for (const some of chunk(ids)) {
    const rows = await queries
      .selectFrom('documents')
      .select(['kind', 'id', 'version', 'organisation_id', 'workspace_id', 'status', 'keys', 'attributes'])
      .where('kind', '=', kind)
      .where('id', 'in', some)
      .execute()
    for (const row of rows) present.set(row.id, row)
  }
  return present
}

function checkVersion(write: DocumentWrite, version: number): void {
  if (write.expected === undefined || write.expected === version) return
  throw new GatewayError(
    'precondition_failed',
    `The ${targetOf(write).kind} has been changed since it was read.`,
  )
}

/** The documents that a run writes and removes. */
interface RunChanges {
  kind: string
  drafts: readonly DocumentDraft[]
  /** Ids. */
  removed: readonly string[]
  present: ReadonlyMap<string, Present>
}

/** Unchanged keys are not written. */
async function writeKeys(
  transaction: EngineQueries,
  { kind, drafts, removed, present }: RunChanges,
): Promise<void> {
  const { queries } = transaction
  const changed = drafts.filter(({ id, keys }) => (present.get(id)?.keys ?? '[]') !== JSON.stringify(keys))
  const old = changed.filter(({ id }) => present.has(id)).map(({ id }) => id)
  await deleteIds(queries, { table: 'document_keys', kind, ids: [...old, ...removed] })
  const rows = changed.flatMap(({ id, keys }) => [...new Set(keys)].map((key) => ({ id, key: clean(key) })))
  const taken = new Set<string>()
  for (const { key } of rows) if (taken.size === taken.add(key).size) throw keyTaken(kind, key)
  for (const some of chunk(rows)) {
    const found = await queries
      .selectFrom('document_keys')
      .select('key')
      .where('kind', '=', kind)
      .where(
        'key',
        'in',
        some.map(({ key }) => key),
      )
      .executeTakeFirst()
    if (found !== undefined) throw keyTaken(kind, found.key)
  }
  const values = rows.flatMap(({ id, key }) => [kind, key, id])
  await insertRows(transaction, keyInsert, values)
}

function keyTaken(kind: string, key: string): GatewayError {
  return new GatewayError('conflict', `Another ${kind} already has the key "${key}".`)
}

async function writeAttributes(
  transaction: EngineQueries,
  { kind, drafts, removed, present }: RunChanges,
): Promise<void> {
  const { queries } = transaction
  const changed = drafts.filter((draft) => {
    const before = present.get(draft.id)
    return (
      before === undefined ||
      before.attributes !== JSON.stringify(draft.attributes) ||
      before.status !== draft.status ||
      before.workspace_id !== draft.workspace_id ||
      before.organisation_id !== draft.organisation_id
    )
  })
  const old = changed.filter(({ id }) => present.has(id)).map(({ id }) => id)
  await deleteIds(queries, { table: 'document_attributes', kind, ids: [...old, ...removed] })
  const rows = changed.flatMap(attributeRows)
  await insertRows(
    transaction,
    attributeInsert,
    rows.flatMap((row) => valuesOf(attributeColumns, row)),
  )
}

const keyInsert: RowInsert = { table: 'document_keys', columns: ['kind', 'key', 'id'] }
const attributeInsert: RowInsert = { table: 'document_attributes', columns: attributeColumns }
const rowUpsert: RowInsert = {
  table: 'documents',
  columns: rowColumns,
  onConflict: `(kind, id) do update set ${rowColumns
    .filter((column) => column !== 'kind' && column !== 'id')
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`,
}

/** The values of a row, in the order of its columns. */
const valuesOf = <Column extends string>(
  columns: readonly Column[],
  row: Readonly<Record<Column, RowValues[number]>>,
): RowValues => columns.map((column) => row[column])

interface DeleteIdsOptions {
  table: 'documents' | 'document_keys' | 'document_attributes'
  kind: string
  ids: readonly string[]
}

async function deleteIds(queries: Queries, { table, kind, ids }: DeleteIdsOptions): Promise<void> {
  for (const some of chunk(ids)) {
    await queries.deleteFrom(table).where('kind', '=', kind).where('id', 'in', some).execute()
  }
}
