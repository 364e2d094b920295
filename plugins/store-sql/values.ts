/** Values of statements, in forms that both engines accept. */
import { toUSVString } from 'node:util'
import { type RawBuilder, sql } from 'kysely'

/** Removes characters that Postgres does not accept in text: NUL, and halves of a surrogate pair. */
export function clean(text: string): string {
  return toUSVString(text.includes('\0') ? text.replaceAll('\0', '') : text)
}

/** A whole number inlined in a query, because SQLite treats bound numbers as floats. */
export function integer(value: number): RawBuilder<number> {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number.`)
  return sql.raw(String(value))
}

/**
 * The most rows of one statement: both engines limit its parameters (SQLite to 32,766), and no table has more than 65
 * columns.
 */
const chunkSize = 500

/** Cuts a list into pieces that fit into one statement. */
export function chunk<T>(items: readonly T[], size = chunkSize): T[][] {
  const chunks: T[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}
