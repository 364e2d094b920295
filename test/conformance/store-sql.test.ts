/** The store on SQLite and on Postgres: every suite of the ports, in two processes that share one database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ports, Store } from '@gateway/contract'
import sqlStore from '@gateway/store-sql'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { runsEmbedded } from '../support/servers.ts'
import { describeSharedState } from './store.ts'
import { describeBlobs } from './stores/blobs.ts'
import { describeDocuments } from './stores/documents.ts'
import { describeLog } from './stores/log.ts'
import { describeVectors } from './stores/vectors.ts'
import { describeWork } from './stores/work.ts'

type SqlStore = Store & Omit<Ports, 'kv'>

const open = (url: string, directory: string) =>
  sqlStore.open(url, {
    directory,
    report: (message, error) => console.log(message, error),
  }) as Promise<SqlStore>

/** @param locate gives the URL of an empty database */
function describeEngine(name: string, locate: () => Promise<string>): void {
  describe(`the store on ${name}`, () => {
    let directory: string
    let url: string
    let stores: SqlStore[] = []
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'gateway-store-'))
      url = await locate()
      stores = await Promise.all([open(url, directory), open(url, directory)])
    })
    after(async () => {
      for (const store of stores) await store.close()
      await rm(directory, { recursive: true, force: true })
    })

    describeDocuments(`on ${name}`, async () => stores.map(({ documents }) => documents))
    describeLog(`on ${name}`, async () => stores.map(({ log }) => log))
    describeBlobs(`on ${name}`, async () => stores.map(({ blobs }) => blobs))
    describeVectors(`on ${name}`, async () => stores.map(({ vectors }) => vectors))
    describeWork(`on ${name}`, async () => stores.map(({ work }) => work))
    describeSharedState(`on ${name}`, async () => stores.map(({ shared }) => shared))
  })
}

if (runsEmbedded) describeEngine('SQLite', async () => 'sqlite:stores/gateway.db')

if (isPostgresInstalled()) {
  describe('postgres', () => {
    let server: PostgresServer
    before(async () => {
      server = await startPostgres()
    })
    after(() => server.close())

    describeEngine('Postgres', () => server.createDatabase())
  })
} else {
  console.log('left out: the store on Postgres, because its server is not installed here, or may not be run')
}
