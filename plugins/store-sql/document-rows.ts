/**
 * Converts documents to rows and back. Characters that Postgres cannot store (NUL) are removed from columns that are
 * only searched and sorted.
 */
import type { DocumentDraft, StoredDocument } from '@gateway/contract'
import type { Selectable } from 'kysely'
import type { DocumentAttributesTable, DocumentsTable } from './schema.ts'
import { clean } from './values.ts'

/** Limits for indexed values, because Postgres limits index entries. */
const searchLength = 511
const orderLength = 120

/** The columns from which a document is read; the others are for searching and sorting. */
export const documentColumns = [
  'kind',
  'id',
  'organisation_id',
  'workspace_id',
  'slug',
  'name',
  'status',
  'version',
  'created_at',
  'last_updated_at',
  'keys',
  'attributes',
  'data',
] as const satisfies readonly (keyof DocumentsTable)[]

/** All columns that are written for a document. */
export const rowColumns = [
  ...documentColumns,
  'search_text',
  'name_order',
] as const satisfies readonly (keyof DocumentsTable)[]

export const attributeColumns = [
  'kind',
  'name',
  'value',
  'id',
  'organisation_id',
  'workspace_id',
  'status',
] as const satisfies readonly (keyof DocumentAttributesTable)[]

export type DocumentRow = Pick<Selectable<DocumentsTable>, (typeof documentColumns)[number]>

export function toRow(document: DocumentDraft, version: number): Selectable<DocumentsTable> {
  const { kind, id, organisation_id, workspace_id, slug, name, status, created_at, last_updated_at } =
    document
  return {
    kind,
    id,
    organisation_id,
    workspace_id,
    slug: slug === null ? null : clean(slug),
    name: name === null ? null : clean(name),
    status,
    version,
    created_at,
    last_updated_at,
    search_text: clean(`${name ?? ''}\n${slug ?? ''}`.toLowerCase()).slice(0, searchLength),
    name_order: clean((name ?? '').toLowerCase()).slice(0, orderLength),
    keys: JSON.stringify(document.keys),
    attributes: JSON.stringify(document.attributes),
    data: JSON.stringify(document.data),
  }
}

export function toDocument(row: DocumentRow): StoredDocument {
  const {
    kind,
    id,
    organisation_id,
    workspace_id,
    slug,
    name,
    status,
    version,
    created_at,
    last_updated_at,
  } = row
  return {
    kind,
    id,
    organisation_id,
    workspace_id,
    slug,
    name,
    status,
    version,
    created_at,
    last_updated_at,
    keys: JSON.parse(row.keys) as string[],
    attributes: JSON.parse(row.attributes) as Record<string, string[]>,
    data: JSON.parse(row.data) as StoredDocument['data'],
  }
}

/** One row per value; a repeated value counts once. */
export function attributeRows(document: DocumentDraft): Selectable<DocumentAttributesTable>[] {
  const { kind, id, organisation_id, workspace_id, status } = document
  return Object.entries(document.attributes).flatMap(([name, values]) =>
    [...new Set(values)].map((value) => ({
      kind,
      name,
      value: clean(value),
      id,
      organisation_id,
      workspace_id,
      status,
    })),
  )
}
