/**
 * Entries of the log as values of rows, and back. What they are filtered by is one JSON object: `jsonb` on Postgres, text
 * on SQLite, whose paths know no escapes, so that names of fields with quotes and backslashes are written in another way.
 */
import type { LogEntry } from '@gateway/contract'
import { clean } from './document-rows.ts'
import type { RowValues } from './rows.ts'

type Value = string | number | null

/** Entries as rows of the log's table. */
export function rowsOf(entries: readonly LogEntry[]): RowValues {
  const rows: Value[] = []
  for (const { id, created_at, organisation_id, workspace_id, fields, data } of entries) {
    rows.push(id, created_at, organisation_id, workspace_id, fieldsText(fields), JSON.stringify(data))
  }
  return rows
}

function fieldsText(fields: LogEntry['fields']): string {
  const text = JSON.stringify(fields)
  // Without an escape in it there is nothing to clean, and no name to write in another way.
  if (!/[\\%]/.test(text)) return text
  const entries = Object.entries(fields).map(([name, value]) => [
    encodeName(name),
    typeof value === 'string' ? clean(value) : value,
  ])
  return JSON.stringify(Object.fromEntries(entries))
}

/** @param stored parsed by pg already, a text on SQLite */
export function readFields(stored: unknown): LogEntry['fields'] {
  const fields = (typeof stored === 'string' ? JSON.parse(stored) : stored) as Record<string, Value>
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [decodeName(name), value]))
}

/** A field's name as it stands in a row. */
export function encodeName(name: string): string {
  return clean(name).replace(/["\\%]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

function decodeName(name: string): string {
  return name.replace(/%(22|5c|25)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
