/** The columns by which facts and aggregates are grouped: as an SQL expression, and as a value in answers. */
import type { LogValue } from '@gateway/contract'
import { columnKind, isLogField, metadataGroup } from '@gateway/domain'
import { type RawBuilder, sql } from 'kysely'
import type { Engine, Queries } from '../database.ts'
import { type LogTable, metadataValue } from './conditions.ts'
import type { LogNames } from './names.ts'

export function expressionOf(engine: Engine, table: LogTable, name: string): RawBuilder<unknown> {
  if (name.startsWith(metadataGroup)) return metadataValue(engine, name.slice(metadataGroup.length))
  if (isLogField(name) || name === 'workspace_id' || name === 'organisation_id')
    return sql.ref(`${table}.${name}`)
  throw new RangeError(`The log has no column ${name}.`)
}

export interface GroupValues {
  [value: `value_${number}`]: string | number | null
}

/** Reads the values of groups, replacing numbers with names. */
export async function valueReader(
  names: LogNames,
  queries: Queries,
  { by, rows }: { by: readonly string[]; rows: readonly GroupValues[] },
): Promise<(row: GroupValues) => LogValue[]> {
  const kinds = by.map((name) => {
    if (name === 'workspace_id' || name === 'organisation_id') return 'name'
    return isLogField(name) ? columnKind(name) : 'text'
  })
  const numbers = new Set<number>()
  for (const row of rows)
    for (const [index, kind] of kinds.entries()) {
      const value = row[`value_${index}`]
      if (kind === 'name' && typeof value === 'number') numbers.add(value)
    }
  const texts = await names.read(queries, numbers)
  return (row) =>
    kinds.map((kind, index) => {
      const value = row[`value_${index}`] ?? null
      if (value === null) return null
      if (kind === 'name') return texts.get(Number(value)) ?? null
      return kind === 'boolean' ? value === 1 : value
    })
}
