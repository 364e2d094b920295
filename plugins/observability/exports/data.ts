/** Exports as they are stored, and the fields that they may contain (management.md section 18). */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import { isObject, type Json } from '@gateway/contract'
import { listSchema, nullable, timestamp, toIso } from '@gateway/control-plane/engine'
import { Type } from '@sinclair/typebox'

export const exportKind = 'log_export'

export type ExportStatus = 'draft' | 'in_progress' | 'success' | 'failed' | 'stopped'

export type ExportData = {
  /** The filters as sent. */
  filters: JsonObject
  requested_data: string[]
  description: string | null
  total: number
  /** The user or key that created it. */
  made_by: string | null
  /** The log filter that the current or last run reads. */
  run: { filter: JsonObject; offset: number; limit: number } | null
  rows: number | null
  /** Why it failed, as text for users. */
  error: string | null
  /** Milliseconds since the epoch. */
  ended_at: number | null
  /** The key that signs its download link, encrypted. */
  sealed: string
}

declare module '@gateway/domain' {
  interface DocumentDataByKind {
    log_export: ExportData
  }
}

export type ExportDocument = StoredDocument<ExportData>

export const exportFields = [
  ...['id', 'trace_id', 'created_at', 'request', 'response', 'is_success', 'ai_org', 'ai_model', 'req_units'],
  ...['res_units', 'total_units', 'request_url', 'cost', 'cost_currency', 'response_time'],
  ...['response_status_code', 'error_code', 'mode', 'config', 'prompt_slug', 'metadata'],
]

/** Whether fields show bodies, which a setting may withhold. */
export const showsBodies = (fields: readonly string[]): boolean =>
  fields.includes('request') || fields.includes('response')

export const exportSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('export'),
    status: Type.String(),
    total: Type.Integer(),
    rows: nullable(Type.Integer()),
    filters: Type.Record(Type.String(), Type.Unknown()),
    requested_data: Type.Array(Type.String()),
    description: nullable(Type.String()),
    error: nullable(Type.String()),
    organisation_id: nullable(Type.String()),
    workspace_id: nullable(Type.String()),
    owner_id: nullable(Type.String()),
    created_at: timestamp,
    last_updated_at: timestamp,
  },
  { additionalProperties: false, title: 'LogExport' },
)

export const exportListSchema = listSchema(exportSchema)

export function presentExport({ id, status, data, ...document }: ExportDocument): JsonObject {
  return {
    id,
    object: 'export',
    status,
    total: data.total,
    rows: data.rows,
    filters: data.filters,
    requested_data: data.requested_data,
    description: data.description,
    error: data.error,
    organisation_id: document.organisation_id,
    workspace_id: document.workspace_id,
    owner_id: data.made_by,
    created_at: toIso(document.created_at),
    last_updated_at: toIso(document.last_updated_at),
  }
}

/** A line of the file. */
export function exportLine(shown: JsonObject, fields: readonly string[]): string {
  const row = Object.fromEntries(fields.map((name) => [name, shown[name] ?? null]))
  return `${JSON.stringify(row)}\n`
}

/** A filter's value in the form of a query parameter. */
export function filterText(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.join(',')
  return isObject(value) ? JSON.stringify(value) : value
}
