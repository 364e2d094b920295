/** The keys of groups as SQL: their bucket, if each row has its own, and the columns by which rows are grouped. */
import type { LogAggregation } from '@gateway/contract'
import { type RawBuilder, sql } from 'kysely'
import { integer } from '../values.ts'
import { expressionOf } from './group-values.ts'
import type { Scan } from './scan-types.ts'

const interval = (
  column: RawBuilder<unknown>,
  { sizeMs, offsetMs }: NonNullable<LogAggregation['interval']>,
) =>
  sql`((${column} - ${integer(offsetMs)}) / ${integer(sizeMs)}) * ${integer(sizeMs)} + ${integer(offsetMs)}`

export function keysOf({ engine, table, aggregation }: Scan, isByBucket: boolean) {
  const { by, interval: size } = aggregation
  const bucket = size === undefined || !isByBucket ? null : interval(sql.ref(`${table}.created_at`), size)
  const values = by.map((name, index) => ({
    name: `value_${index}`,
    value: expressionOf(engine, table, name),
  }))
  const keys = [...(bucket === null ? [] : [{ name: 'bucket', value: bucket }]), ...values]
  return {
    keys,
    columns: keys.map(({ name, value }) => sql`${value} as ${sql.ref(name)}`),
    names: keys.map(({ name }) => sql.ref(name)),
    /** Includes the SQL keywords; empty if there are no keys to group by. */
    groupBy: (places: readonly RawBuilder<unknown>[]) =>
      places.length === 0 ? sql`` : sql`group by ${sql.join(places)}`,
    places: keys.map((_, index) => sql.raw(String(index + 1))),
  }
}
