/** Appends entries; names are replaced with numbers in the same transaction. */
import type { Database, Engine } from '../database.ts'
import { insertRows, type RowInsert } from '../rows.ts'
import type { LogCounts } from './counts.ts'
import { removeErased } from './erasures.ts'
import type { LogNames } from './names.ts'
import {
  bodiesAt,
  contentColumns,
  factColumns,
  factKinds,
  numbersPerEntry,
  type PackedEntries,
  textsPerEntry,
  unpackDetails,
} from './packed-entries.ts'
import { idBytes, packText, packTrace } from './packed-texts.ts'
import type { Partitions } from './partitions.ts'

type Value = string | number | Buffer | null

const factInsert: RowInsert = {
  table: 'log_facts',
  columns: factColumns,
  types: { id: 'uuid', metadata: 'jsonb' },
  onConflict: 'do nothing',
}

const contentInsert: RowInsert = {
  table: 'log_contents',
  columns: contentColumns,
  types: { id: 'uuid' },
  onConflict: 'do nothing',
}

export interface WriteEntries {
  database: Database
  names: LogNames
  /** Only on Postgres. */
  partitions: Partitions | null
  counts: LogCounts
}

export async function writeEntries(
  { database, names, partitions, counts }: WriteEntries,
  packed: PackedEntries,
  isDurable: boolean,
): Promise<void> {
  const { engine, write } = database
  const keys = keysOf(engine, packed)
  if (keys.length === 0) return
  await partitions?.make(keys.map(({ createdAt }) => createdAt))
  const numbers = await write(
    async (queries) => {
      counts.forget(keys.map(({ id }) => id))
      const found = await names.number(queries, packed.names)
      await insertRows({ engine, queries }, factInsert, factValues(engine, packed, { keys, numberOf: found }))
      await insertRows({ engine, queries }, contentInsert, contentValues(packed, keys))
      await removeErased({ engine, names, queries }, keys)
      return found
    },
    { isDurable, sharedLock: 'erasures' },
  )
  names.keep(numbers)
}

/** The key that an entry's rows share. */
interface EntryKey {
  id: string
  /** The id as stored. */
  key: string | Buffer
  createdAt: number
}

function keysOf(engine: Engine, { numbers, texts }: PackedEntries): EntryKey[] {
  return Array.from({ length: numbers.length / numbersPerEntry }, (_, row) => {
    const id = String(texts[row * textsPerEntry])
    const key = engine === 'sqlite' ? idBytes(id) : id
    return { id, key, createdAt: numbers[row * numbersPerEntry] ?? 0 }
  })
}

interface FactValuesOptions {
  keys: readonly EntryKey[]
  numberOf: ReadonlyMap<string, number>
}

function factValues(
  engine: Engine,
  { names, numbers, texts }: PackedEntries,
  { keys, numberOf }: FactValuesOptions,
): Value[] {
  const nameNumbers = names.map((name) => numberOf.get(name) ?? null)
  const values = new Array<Value>(keys.length * factColumns.length)
  let at = 0
  let number = 0
  for (const [row, { id, key }] of keys.entries()) {
    let text = row * textsPerEntry
    for (const [column, kind] of factKinds.entries()) {
      if (kind === 'text')
        values[at++] = storedText(engine, { column: factColumns[column], text: texts[text++] ?? null, id })
      else {
        const value = numbers[number++] as number
        if (Number.isNaN(value)) values[at++] = null
        else values[at++] = kind === 'name' ? (nameNumbers[value] ?? null) : value
      }
    }
    values[row * factColumns.length] = key
  }
  return values
}

interface StoredTextOptions {
  column: string | undefined
  text: string | null
  id: string
}

function storedText(engine: Engine, { column, text, id }: StoredTextOptions): string | Buffer | null {
  if (column === 'trace_id') return packTrace(engine, text, id)
  // JSON, which is never a UUID, and the id, which is replaced.
  if (text === null || column === 'metadata' || column === 'id') return text
  return packText(engine, text)
}

/** The rows of entries that have contents; searches do not cover the inner bodies. */
function contentValues(packed: PackedEntries, keys: readonly EntryKey[]): Value[] {
  const { texts } = packed
  const allDetails = unpackDetails(packed)
  const values: Value[] = []
  for (const [row, { key, createdAt }] of keys.entries()) {
    const at = row * textsPerEntry + bodiesAt
    const [request = null, response, transformed = null, original = null] = texts.slice(
      at,
      (row + 1) * textsPerEntry,
    )
    const details = allDetails[row] ?? noDetails
    if (details === noDetails && request === null) continue
    const bodies = request === null ? null : `[${request},${response}]`
    const inner = transformed === null && original === null ? null : `[${transformed},${original}]`
    values.push(key, createdAt, details, bodies, inner)
  }
  return values
}

const noDetails = '{}'
