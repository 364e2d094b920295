/** Converts entries of the log's first table to rows of the tables of version 8, with the columns that existed then. */
import { isObject } from '@gateway/contract'
import { latencyBin, timeOfId, timeOrderedId } from '@gateway/domain'
import { sql } from 'kysely'
import type { Engine, Queries } from '../database.ts'
import { insertRows, type RowInsert } from '../rows.ts'
import { createLogNames, storedName } from './names.ts'
import { idBytes } from './packed-texts.ts'
import { createDay } from './partitions.ts'

interface FormerRow {
  id: string
  created_at: number
  organisation_id: string
  workspace_id: string | null
  fields: unknown
  data: string
}

const names = [
  'trace_id',
  'api_key_id',
  'endpoint_type',
  'ai_org',
  'provider',
  'ai_model',
  'config',
  'cache_status',
]
const numbers = ['response_status_code', 'req_units', 'res_units', 'total_units', 'cost', 'response_time']

const factInsert: RowInsert = {
  table: 'log_facts',
  columns: [...['id', 'created_at', 'organisation_id', 'workspace_id'], ...names, ...numbers, 'latency_bin'],
  types: { id: 'uuid' },
  onConflict: 'do nothing',
}

const contentInsert: RowInsert = {
  table: 'log_contents',
  columns: ['id', 'created_at', 'details'],
  types: { id: 'uuid' },
  onConflict: 'do nothing',
}

const pageRows = 500

/** Moves all entries. */
export async function moveFormerEntries(
  engine: Engine,
  queries: Queries,
  advance: (rows: number) => void,
): Promise<void> {
  const dictionary = createLogNames(engine)
  let after = ''
  for (;;) {
    const { rows } = await sql<FormerRow>`select id, created_at, organisation_id, workspace_id, fields, data
      from log_entries where id > ${after} order by id limit ${sql.raw(String(pageRows))}`.execute(queries)
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
    if (engine === 'postgres')
      for (const day of new Set(rows.map(({ created_at }) => Math.floor(created_at / dayMs))))
        await createDay(queries, day)
    const texts = rows.flatMap((row) => textsOf(row))
    const found = await dictionary.number(queries, texts)
    const moved = rows.map((row) => ({ row, id: idOf(row) }))
    const idValue = (id: string) => (engine === 'sqlite' ? idBytes(id) : id)
    const numberOf = (text: unknown) =>
      typeof text === 'string' ? (found.get(storedName(text)) ?? null) : null
    await insertRows(
      { engine, queries },
      factInsert,
      moved.flatMap(({ row, id }) => {
        const fields = fieldsOf(row)
        const [traceId, ...shared] = names.map((name) => fields[name])
        const counted = numbers.map((name) => fields[name])
        return [
          idValue(id),
          row.created_at,
          numberOf(row.organisation_id),
          numberOf(row.workspace_id),
          typeof traceId === 'string' ? traceId : null,
          ...shared.map(numberOf),
          ...counted.map((value) => (typeof value === 'number' ? value : null)),
          latencyBin(Number(fields.response_time ?? 0)),
        ]
      }),
    )
    await insertRows(
      { engine, queries },
      contentInsert,
      moved.flatMap(({ row, id }) => [idValue(id), row.created_at, row.data]),
    )
    advance(rows.length)
  }
}

const dayMs = 86_400_000

/** An id contains the time of its entry; one that does not is replaced. */
const idOf = ({ id, created_at }: FormerRow) => (timeOfId(id) === created_at ? id : timeOrderedId(created_at))

function fieldsOf({ fields }: FormerRow): Readonly<Record<string, unknown>> {
  const parsed: unknown = typeof fields === 'string' ? JSON.parse(fields) : fields
  return isObject(parsed) ? parsed : {}
}

const textsOf = (row: FormerRow): string[] =>
  [row.organisation_id, row.workspace_id, ...names.slice(1).map((name) => fieldsOf(row)[name])]
    .filter((text) => typeof text === 'string')
    .map((text) => storedName(text))
