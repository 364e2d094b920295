/** Empty databases of each installed engine, without threads and ports, for tests of the lower layers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '#store-sql/database'
import { openPostgres } from '#store-sql/postgres-database'
import { openSqlite } from '#store-sql/sqlite-database'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { describeEmbedded } from '../../support/servers.ts'

/** @param describeEngine gets a function that opens two connections, as of two processes, to an empty database */
export function forEachEngine(
  what: string,
  describeEngine: (open: () => Promise<[Database, Database]>) => void,
): void {
  let opened: Database[] = []
  const keep = (databases: [Database, Database]) => {
    opened.push(...databases)
    return databases
  }
  async function closeAll(): Promise<void> {
    for (const database of opened) await database.close()
    opened = []
  }

  describeEmbedded(`${what} on SQLite`, () => {
    let directory: string
    let files = 0
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'gateway-sqlite-'))
    })
    afterEach(closeAll)
    after(() => rm(directory, { recursive: true, force: true }))
    describeEngine(async () => {
      files += 1
      const path = join(directory, `${files}.db`)
      return keep([openSqlite(path), openSqlite(path)])
    })
  })

  if (!isPostgresInstalled()) {
    console.log(`left out: ${what} on Postgres, because its server is not installed here, or may not be run`)
    return
  }
  describe(`${what} on Postgres`, () => {
    let server: PostgresServer
    before(async () => {
      server = await startPostgres()
    })
    afterEach(closeAll)
    after(() => server.close())
    describeEngine(async () => {
      const url = await server.createDatabase()
      const report = () => undefined
      return keep([openPostgres(url, { report }), openPostgres(url, { report })])
    })
  })
}
