/** Caches prepared statements: kysely prepares in each call, which costs more than running most of its queries. */
import type { Database as Driver, Statement } from 'better-sqlite3'
import type { SqliteDatabase } from 'kysely'

/** Removes the least recently used one. */
const maxStatements = 500

/** A driver for kysely that prepares each text once. */
export function cacheStatements(driver: Driver): SqliteDatabase {
  const statements = new Map<string, Statement>()

  function prepare(text: string): Statement {
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
    prepare: (text) => {
      const statement = prepare(text)
      return {
        reader: statement.reader,
        all: (parameters) => statement.all(parameters),
        run: (parameters) => statement.run(parameters),
        iterate: (parameters) => statement.iterate(parameters) as IterableIterator<unknown>,
      }
    },
  }
}
