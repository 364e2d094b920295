/** The store on SQL: an embedded SQLite, or Postgres for any number of processes. */
import type { StoreAdapter } from '@gateway/contract'
import { prepareWorker } from './worker-client.ts'

const sqlStore: StoreAdapter = {
  name: 'sql',
  title: 'SQLite and Postgres',
  schemes: ['sqlite:', 'postgres:', 'postgresql:'],
  async open(url, options) {
    // Each driver is loaded only when it is used.
    if (url.startsWith('sqlite:')) return (await import('./open-sqlite.ts')).openSqliteStore(url, options)
    return (await import('./open-postgres.ts')).openPostgresStore(url, options)
  },
  prepare(url) {
    if (url.startsWith('sqlite:')) prepareWorker()
  },
  async lock(url, options) {
    return url.startsWith('sqlite:') ? (await import('./open-sqlite.ts')).lockSqliteStore(url, options) : null
  },
}

export default sqlStore
