/**
 * Sums facts of SQLite row by row, for groupings in which almost every row of a slice has its own group: `group by` would
 * sort the rows of each slice and return one row for each group. Here a slice returns one row, whose columns are JSON
 * arrays with a member for each fact.
 */
import type { LogAggregation, LogTotals } from '@gateway/contract'
import { columnKind, isLogField, metadataGroup, totalNames } from '@gateway/domain'
import { type CompiledQuery, sql } from 'kysely'
import { all } from './conditions.ts'
import { type GroupValues, valueReader } from './group-values.ts'
import { keysOf } from './keys.ts'
import type { Groups, Scan } from './scan-types.ts'
import type { Slice } from './slices.ts'
import { shareOf, statusNumbers } from './totals.ts'

type Value = string | number | null
type GroupSum = ReturnType<Groups['of']>

/** JSON cannot hold the packed texts of other columns. */
export const canAddRows = ({ by }: LogAggregation): boolean =>
  by.every((name) => name.startsWith(metadataGroup) || (isLogField(name) && columnKind(name) !== 'text'))

/** The columns of a slice, each with a value for each fact. */
interface Columns {
  keys: readonly (readonly Value[])[]
  created_at: readonly number[]
  totals: readonly (readonly number[])[]
  bins: readonly number[] | undefined
  users: readonly Value[] | undefined
}

export function createRowSums(groups: Groups, scan: Scan): (slice: Slice) => Promise<void> {
  const { names, queries, aggregation } = scan
  const { by, histogram = false, users = false, totals = totalNames } = aggregation
  const wanted = totals.filter((name) => name !== 'requests')
  const compiled = new Map<boolean, CompiledQuery<Record<string, string>>>()
  /** By bucket, and by the stored value, or the JSON of several. */
  const known = new Map<number | null, Map<Value, GroupSum>>()

  async function queryOf(isByBucket: boolean) {
    const ready = compiled.get(isByBucket)
    if (ready !== undefined) return ready
    const statuses = await statusNumbers(names, queries)
    const { keys } = keysOf(scan, isByBucket)
    const columns = [
      ...keys.map(({ value }, index) => ({ name: `key_${index}`, value })),
      { name: 'created_at', value: sql.ref('log_facts.created_at') },
      ...wanted.map((name) => ({ name, value: shareOf(name, statuses) })),
      ...(histogram ? [{ name: 'bins', value: sql.ref('latency_bin') }] : []),
      ...(users ? [{ name: 'users', value: sql.ref('end_user') }] : []),
    ]
    const arrays = columns.map(({ name, value }) => sql`json_group_array(${value}) as ${sql.ref(name)}`)
    const made = sql<Record<string, string>>`select ${sql.join(arrays)} from log_facts
      where ${all([...scan.conditions, sql`log_facts.id >= ${null} and log_facts.id < ${null}`])}`.compile(
      queries,
    )
    compiled.set(isByBucket, made)
    return made
  }

  async function read({ from, to, bucket }: Slice): Promise<Columns> {
    const query = await queryOf(bucket === undefined)
    const parameters = [...query.parameters.slice(0, -2), from, to]
    const { rows } = await queries.executeQuery<Record<string, string>>({ ...query, parameters })
    const column = <Member>(name: string) => JSON.parse(rows[0]?.[name] ?? '[]') as Member[]
    const keyCount = by.length + (bucket === undefined ? 1 : 0)
    return {
      keys: Array.from({ length: keyCount }, (_, index) => column<Value>(`key_${index}`)),
      created_at: column('created_at'),
      totals: wanted.map((name: keyof LogTotals) => column<number>(name)),
      bins: histogram ? column('bins') : undefined,
      users: users ? column('users') : undefined,
    }
  }

  /** The groups of the rows, in their order. */
  async function groupsOf({ keys, created_at }: Columns, bucket: Slice['bucket']): Promise<GroupSum[]> {
    const at = bucket ?? null
    const sums = known.get(at) ?? new Map<Value, GroupSum>()
    known.set(at, sums)
    const [first] = keys
    const keyOf = (row: number): Value =>
      keys.length === 1 ? (first?.[row] ?? null) : JSON.stringify(keys.map((column) => column[row]))
    const rowKeys = created_at.map((_, row) => keyOf(row))
    const newRows = new Map<Value, number>()
    for (const [row, key] of rowKeys.entries()) if (!sums.has(key) && !newRows.has(key)) newRows.set(key, row)
    const values = bucket === undefined ? keys.slice(1) : keys
    const valuesOf = (row: number): GroupValues =>
      Object.fromEntries(values.map((column, index) => [`value_${index}`, column[row] ?? null]))
    const found = [...newRows].map(([key, row]) => ({ key, row, stored: valuesOf(row) }))
    const toValues = await valueReader(names, queries, { by, rows: found.map(({ stored }) => stored) })
    for (const { key, row, stored } of found) {
      const own = bucket === undefined ? Number(keys[0]?.[row]) : bucket
      sums.set(key, groups.of(own, toValues(stored)))
    }
    // Each key was added above.
    return rowKeys.map((key) => sums.get(key) as GroupSum)
  }

  return async (slice) => {
    const columns = await read(slice)
    for (const [row, sum] of (await groupsOf(columns, slice.bucket)).entries()) {
      const createdAt = columns.created_at[row] ?? 0
      sum.requests += 1
      if (createdAt < sum.first_at) sum.first_at = createdAt
      if (createdAt > sum.last_at) sum.last_at = createdAt
      for (const [index, name] of wanted.entries()) sum[name] += columns.totals[index]?.[row] ?? 0
      const bin = columns.bins?.[row]
      if (bin !== undefined) sum.histogram.set(bin, (sum.histogram.get(bin) ?? 0) + 1)
      const user = columns.users?.[row] ?? null
      if (user !== null) sum.users.add(String(user))
    }
  }
}
