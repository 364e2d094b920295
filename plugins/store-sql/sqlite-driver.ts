/**
 * SQLite is part of Node from 24.15 on. For earlier versions a package with the same interface includes its binaries:
 * nothing is compiled or downloaded at installation, and a binary serves all versions of Node. Errors get SQLite's
 * names as their `code`. https://nodejs.org/api/sqlite.html, https://www.sqlite.org/rescode.html
 */
import { createRequire } from 'node:module'
import { GatewayError } from '@gateway/contract'
import type * as Sqlite from '@photostructure/sqlite'
import { nameOfMessage, nameOfResult } from './sqlite-results.ts'

/**
 * Earlier versions of Node call their SQLite experimental, and contain versions of it in which two connections that
 * write at the same time may damage a file. https://www.sqlite.org/wal.html#walresetbug
 */
function isPartOfNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 25 || (major === 24 && minor >= 15)
}

/** Its message says how to get it: the package is optional, because a gateway with another store does not need it. */
function load(): typeof Sqlite {
  // In a variable, because the bundler must leave the package, which searches for its binary, outside the bundle.
  const name = isPartOfNode() ? 'node:sqlite' : '#sqlite'
  try {
    return createRequire(import.meta.url)(name) as typeof Sqlite
  } catch (cause) {
    throw new GatewayError(
      'invalid_config',
      'SQLite is not installed. Node contains it from 24.15 on. For earlier versions, its package has binaries for Linux, macOS ' +
        'and Windows on x64 and arm64: run npm ci again without --omit=optional. On other systems, run npm rebuild ' +
        '@photostructure/sqlite, which compiles it with python3, make and a C++ compiler. Or set GATEWAY_STORE_URL to another store: ' +
        'postgres://…, or memory: to store nothing permanently.',
      { cause },
    )
  }
}

const { DatabaseSync } = load()

/** A value that SQLite stores. */
export type SqlValue = null | number | bigint | string | Uint8Array

export interface SqliteStatement {
  /** Whether it returns rows. */
  reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
}

export interface SqliteDriverOptions {
  /** The maximum wait for locks of other connections. */
  timeoutMs: number
}

/** A connection to a file, or to `:memory:`. */
export class SqliteDriver {
  private readonly database: InstanceType<typeof Sqlite.DatabaseSync>

  constructor(path: string, { timeoutMs }: SqliteDriverOptions = { timeoutMs: 5000 }) {
    this.database = named(() => new DatabaseSync(path, { timeout: timeoutMs }))
  }

  exec(text: string): void {
    named(() => this.database.exec(text))
  }

  prepare(text: string): SqliteStatement {
    const statement = named(() => this.database.prepare(text))
    const columns = statement.columns()
    const mayBeBytes = columns.filter(({ type }) => type === 'BLOB' || type === null).map(({ name }) => name)
    const read = mayBeBytes.length === 0 ? asIs : withBuffers(mayBeBytes)
    return {
      reader: columns.length > 0,
      all: (parameters) => read(named(() => statement.all(...parameters))),
      run: (parameters) => named(() => statement.run(...parameters)),
      iterate: (parameters) => eachRow(() => statement.iterate(...parameters), read),
    }
  }

  /** Defines an SQL function whose result depends only on its arguments. */
  function(name: string, run: (...given: SqlValue[]) => SqlValue): void {
    this.database.function(name, { deterministic: true }, run)
  }

  close(): void {
    if (this.database.isOpen) named(() => this.database.close())
  }
}

/** Errors have the number of SQLite's result, except those of `all` and `iterate` in the package. */
function named<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR')) throw error
    const number = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null
    const code = number === null ? nameOfMessage(error.message) : nameOfResult(number)
    throw Object.assign(error, { code })
  }
}

type ReadRows = (rows: unknown[]) => unknown[]

const asIs: ReadRows = (rows) => rows

/**
 * Converts bytes to Buffers in columns that may contain bytes, because an expression has no type. The rows are new
 * objects without other references.
 */
function withBuffers(names: readonly string[]): ReadRows {
  return (rows) => {
    for (const row of rows as Record<string, unknown>[]) {
      for (const name of names) {
        const value = row[name]
        if (value instanceof Uint8Array && !Buffer.isBuffer(value))
          row[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      }
    }
    return rows
  }
}

/** The rows of a statement as they are read. */
function* eachRow(rows: () => IterableIterator<unknown>, read: ReadRows): IterableIterator<unknown> {
  const iterator = named(rows)
  try {
    for (;;) {
      const { done, value } = named(() => iterator.next())
      if (done === true) return
      yield* read([value])
    }
  } finally {
    iterator.return?.()
  }
}
