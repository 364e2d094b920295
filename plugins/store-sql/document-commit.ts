/**
 * Writing documents: in bulk, within a transaction that no other commit of documents runs beside, so that what is read
 * first still holds when it is written, and revisions are visible in their order.
 * Errors: `conflict`, `precondition_failed`.
 */
import { type DocumentDraft, type DocumentWrite, GatewayError, type StoredDocument } from '@gateway/contract'
import { chunk } from './chunk.ts'
import type { Queries } from './database.ts'
import { addCounts, type CountedPlace } from './document-counts.ts'
import { attributeRows, clean, toDocument, toRow } from './document-rows.ts'
import { insertAll } from './rows.ts'

/** What is known of a document before it is written. */
interface Present extends CountedPlace {
  id: string
  version: number
  keys: string
  attributes: string
}

/** A document that was put or removed: what is told to those who watch. */
export interface Change {
  kind: string
  id: string
  organisation_id: string | null
  workspace_id: string | null
}

export interface Committed {
  documents: StoredDocument[]
  /** Of writes that are not quiet. */
  changes: Change[]
}

/** Writes all, in order; rejects before anything of a bad run is written. */
export async function commitWrites(queries: Queries, writes: readonly DocumentWrite[]): Promise<Committed> {
  const committed: Committed = { documents: [], changes: [] }
  for (const run of splitRuns(writes)) await commitRun(queries, run, committed)
  return committed
}

const targetOf = (write: DocumentWrite) => (write.op === 'put' ? write.document : write)

/** Runs of one kind in which no document stands twice, so that each can be written in bulk. */
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
  queries: Queries,
  run: readonly DocumentWrite[],
  committed: Committed,
): Promise<void> {
  const [first] = run
  if (first === undefined) return
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
  await writeKeys(queries, kind, drafts, removed, present)
  await writeAttributes(queries, kind, drafts, removed, present)
  await writeRows(queries, rows)
  await deleteIds(queries, 'documents', kind, removed)
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

/** Keys that stay the same are not touched. */
async function writeKeys(
  queries: Queries,
  kind: string,
  drafts: readonly DocumentDraft[],
  removed: readonly string[],
  present: ReadonlyMap<string, Present>,
): Promise<void> {
  const changed = drafts.filter(({ id, keys }) => (present.get(id)?.keys ?? '[]') !== JSON.stringify(keys))
  const old = changed.filter(({ id }) => present.has(id)).map(({ id }) => id)
  await deleteIds(queries, 'document_keys', kind, [...old, ...removed])
  const rows = changed.flatMap(({ id, keys }) =>
    [...new Set(keys)].map((key) => ({ kind, key: clean(key), id })),
  )
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
  await insertAll(queries, 'document_keys', rows)
}

function keyTaken(kind: string, key: string): GatewayError {
  return new GatewayError('conflict', `Another ${kind} has the key "${key}".`)
}

async function writeAttributes(
  queries: Queries,
  kind: string,
  drafts: readonly DocumentDraft[],
  removed: readonly string[],
  present: ReadonlyMap<string, Present>,
): Promise<void> {
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
  await deleteIds(queries, 'document_attributes', kind, [...old, ...removed])
  await insertAll(queries, 'document_attributes', changed.flatMap(attributeRows))
}

async function writeRows(queries: Queries, rows: readonly ReturnType<typeof toRow>[]): Promise<void> {
  for (const some of chunk(rows)) {
    await queries
      .insertInto('documents')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['kind', 'id']).doUpdateSet((excluded) => ({
          organisation_id: excluded.ref('excluded.organisation_id'),
          workspace_id: excluded.ref('excluded.workspace_id'),
          slug: excluded.ref('excluded.slug'),
          name: excluded.ref('excluded.name'),
          status: excluded.ref('excluded.status'),
          version: excluded.ref('excluded.version'),
          created_at: excluded.ref('excluded.created_at'),
          last_updated_at: excluded.ref('excluded.last_updated_at'),
          search_text: excluded.ref('excluded.search_text'),
          name_order: excluded.ref('excluded.name_order'),
          keys: excluded.ref('excluded.keys'),
          attributes: excluded.ref('excluded.attributes'),
          data: excluded.ref('excluded.data'),
        })),
      )
      .execute()
  }
}

async function deleteIds(
  queries: Queries,
  table: 'documents' | 'document_keys' | 'document_attributes',
  kind: string,
  ids: readonly string[],
): Promise<void> {
  for (const some of chunk(ids)) {
    await queries.deleteFrom(table).where('kind', '=', kind).where('id', 'in', some).execute()
  }
}
