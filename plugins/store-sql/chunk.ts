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
