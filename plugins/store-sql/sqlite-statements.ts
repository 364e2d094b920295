/** Caches prepared statements: kysely prepares in each call, which costs more than running most of its queries. */
import type { SqliteDatabase } from 'kysely'
import type { SqliteDriver, SqliteStatement } from './sqlite-driver.ts'

/** Removes the least recently used one. */
const maxStatements = 500

/** A driver for kysely that prepares each text once. */
export function cacheStatements(driver: SqliteDriver): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()

  function prepare(text: string): SqliteStatement {
    const known = statements.get(text)
    const statement = known ?? driver.prepare(text)
    if (known !== undefined) statements.delete(text)
    statements.set(text, statement)
    for (const oldest of statements.keys()) {
      if (statements.size <= maxStatements) break
      statements.delete(oldest)
    }
    return statement
  }

  return {
    close: () => void driver.close(),
    prepare,
  }
}
