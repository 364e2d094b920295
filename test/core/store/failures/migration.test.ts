/** A new version over the databases of the previous one: the store and a log apart migrate together or not at all. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { sql } from 'kysely'
import { openPorts, openPrimaryCounters } from '#core/boot/open-ports'
import type { Database } from '#store-sql/database'
import { migrate, migrateFiles } from '#store-sql/migrate'
import { migrations } from '#store-sql/migrations/index'
import { openPostgres } from '#store-sql/postgres-database'
import { openSqlite } from '#store-sql/sqlite-database'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../../support/postgres.ts'

const versions = migrations.map(({ version }) => version).sort((one, other) => one - other)
const changedIn = 8
const older = migrations.filter(({ version }) => version < changedIn)
const oldVersions = versions.filter((version) => version < changedIn)

interface Scene {
  storeUrl: string
  logsUrl: string
  /** The versions of the store, of all its files. */
  storeVersions(): Promise<number[]>
  inLog(statement: string): Promise<void>
}

function describeUpgrade(title: string, prepare: (directory: string) => Promise<Scene>): void {
  describe(title, () => {
    let directory: string
    let scene: Scene
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'gateway-upgrade-'))
      scene = await prepare(directory)
    })
    afterEach(() => rm(directory, { recursive: true, force: true }))

    const given = () => ({
      storeUrl: scene.storeUrl,
      redisUrl: null,
      logsUrl: scene.logsUrl,
      redis: { deadline_ms: 50, fail_closed: false },
      stores: new Map(sqlStore.schemes.map((scheme) => [scheme, sqlStore])),
      cache: { maxEntries: 1, maxBytes: 1 },
      options: { directory, report: () => undefined },
      cluster: undefined,
    })

    it('leaves the store to the previous version if the log cannot be migrated, and migrates both once that is possible', async () => {
      await scene.inLog('create table log_names (taken integer)')
      for (const start of [() => openPorts(given()), () => openPrimaryCounters(given())]) {
        const outcome = await start().then((opened) => opened?.close(), String)
        if (outcome !== undefined) expect(outcome).to.include('GATEWAY_LOGS_URL')
        expect(await scene.storeVersions()).to.deep.equal(oldVersions)
      }
      await scene.inLog('drop table log_names')
      await (await openPorts(given())).close()
      expect(await scene.storeVersions()).to.deep.equal(versions)
    })

    it('leaves the store to the previous version while the log is unavailable', async () => {
      const logsUrl = 'postgres://gateway@127.0.0.1:1/log'
      const outcome = await openPorts({ ...given(), logsUrl }).then((opened) => opened.close(), String)
      expect(outcome).to.include('GATEWAY_LOGS_URL')
      expect(await scene.storeVersions()).to.deep.equal(oldVersions)
    })

    it('keeps a log with the URL of the store in the store', async () => {
      await (await openPorts({ ...given(), logsUrl: scene.storeUrl })).close()
      expect(await scene.storeVersions()).to.deep.equal(versions)
    })
  })
}

async function during<T>(database: Database, work: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function versionsOf(database: Database): Promise<number[]> {
  const rows = await during(database, ({ read }) =>
    read.selectFrom('schema_migrations').select('version').orderBy('version').execute(),
  )
  return rows.map(({ version }) => version)
}

async function run(database: Database, statement: string): Promise<void> {
  await during(database, ({ write }) => write((queries) => sql.raw(statement).execute(queries)))
}

async function oldSqlite(directory: string, name: string): Promise<{ main: string; log: string }> {
  const paths = { main: join(directory, `${name}.db`), log: join(directory, `${name}-logs.db`) }
  await during(openSqlite(paths.main), (main) =>
    during(openSqlite(paths.log), (log) => migrateFiles({ main, log }, older)),
  )
  return paths
}

async function sqliteStore(directory: string): Promise<Pick<Scene, 'storeUrl' | 'storeVersions'>> {
  const { main, log } = await oldSqlite(directory, 'gateway')
  return {
    storeUrl: `sqlite:${main}`,
    async storeVersions() {
      const both = [...(await versionsOf(openSqlite(main))), ...(await versionsOf(openSqlite(log)))]
      return both.sort((one, other) => one - other)
    },
  }
}

describeUpgrade('an upgrade of a store and a log on SQLite', async (directory) => {
  const { main, log } = await oldSqlite(directory, 'log')
  return {
    ...(await sqliteStore(directory)),
    logsUrl: `sqlite:${main}`,
    inLog: (statement) => run(openSqlite(log), statement),
  }
})

if (isPostgresInstalled()) {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })
  after(() => server.close())
  const open = (url: string) => openPostgres(url, { report: () => undefined })

  async function oldDatabase(): Promise<string> {
    const url = await server.createDatabase()
    await during(open(url), (database) => migrate(database, older))
    return url
  }

  async function logOnPostgres(): Promise<Pick<Scene, 'logsUrl' | 'inLog'>> {
    const logsUrl = await oldDatabase()
    return { logsUrl, inLog: (statement) => run(open(logsUrl), statement) }
  }

  describeUpgrade('an upgrade of a store on SQLite and a log on Postgres', async (directory) => ({
    ...(await sqliteStore(directory)),
    ...(await logOnPostgres()),
  }))
  describeUpgrade('an upgrade of a store and a log on Postgres', async () => {
    const storeUrl = await oldDatabase()
    return { storeUrl, storeVersions: () => versionsOf(open(storeUrl)), ...(await logOnPostgres()) }
  })
}
