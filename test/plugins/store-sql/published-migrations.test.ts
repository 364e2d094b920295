/** Published migrations never change: a store that has applied one must be like a store that applies it today. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Engine, Queries } from '#store-sql/database'
import type { Migration } from '#store-sql/migrate'
import { migrations } from '#store-sql/migrations/index'

/**
 * Hashes of the statements that each migration executes on an empty store, on SQLite and on Postgres. Add a line for a
 * new migration; never change one.
 */
const published: Readonly<Record<number, string>> = {
  1: '1f0f9e8da4f3e910 7847ad3a21aa8225',
  2: '166c4d4711583b8b 4726f2cab8cf69ab',
  3: 'ee252d6fafb04e48 8e229a3194b0f16e',
  4: '00b0ddc5aa289221 3d710016f56cf82b',
  5: 'b26de11c9c67c2d9 5aee2ef70ae7ece1',
  6: 'c92fc75d988f4ba1 e98870658d862a1a',
  7: '2c4151abc73278f0 101103ccb54c4510',
  8: 'f266b2154fa10967 fd2dd8e347ea15b3',
  9: '55e22722c5506a80 a5c7952b500dfb8c',
  10: 'e0e14066c81e6704 dc9896766309a789',
  11: '1f46a87bf5b10a7e 3e51adcd9a9c4677',
  12: '2e20252d6bf9e682 bc12958a0d7e69c0',
  13: '8dc6cb82cbea6fb4 8dc6cb82cbea6fb4',
  14: '617f77d6e0ca297e 02b0d9a003c5abee',
}

/** Executes nothing: every query has an empty result. */
function recordQueries(engine: Engine): { queries: Queries; statements: string[] } {
  const statements: string[] = []
  const queries: Queries = new Kysely({
    dialect: {
      createDriver: () => new DummyDriver(),
      createAdapter: () => (engine === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
      createQueryCompiler: () =>
        engine === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler(),
      createIntrospector: (db) =>
        engine === 'sqlite' ? new SqliteIntrospector(db) : new PostgresIntrospector(db),
    },
    log({ query: { sql, parameters } }) {
      statements.push(JSON.stringify([sql, parameters]))
    },
  })
  return { queries, statements }
}

async function checksumOf({ version, name, part, up }: Migration, engine: Engine): Promise<string> {
  const { queries, statements } = recordQueries(engine)
  await up(queries, engine, () => undefined)
  const text = [version, name, part, ...statements.map((statement) => statement.replace(/(\\n|\s)+/g, ' '))]
  return createHash('sha256').update(text.join('\n')).digest('hex').slice(0, 16)
}

describe('published migrations', () => {
  for (const migration of migrations) {
    it(`version ${migration.version}, ${migration.name}, executes the statements that were published`, async () => {
      const checksums = [await checksumOf(migration, 'sqlite'), await checksumOf(migration, 'postgres')]
      expect(checksums.join(' ')).to.equal(published[migration.version])
    })
  }

  it('have ascending versions', () => {
    const versions = migrations.map(({ version }) => version)
    expect(versions).to.deep.equal(versions.map((_, index) => index + 1))
  })
})
