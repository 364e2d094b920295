/** The store on SQL: an embedded SQLite, or Postgres for any number of processes. */
import type { StoreAdapter } from '@gateway/contract'

const sqlStore: StoreAdapter = {
  name: 'sql',
  title: 'SQLite and Postgres',
  schemes: ['sqlite:', 'postgres:', 'postgresql:'],
  async open(url, options) {
    // Each driver is loaded only when it is used.
    if (url.startsWith('sqlite:')) return (await import('./open-sqlite.ts')).openSqliteStore(url, options)
    return (await import('./open-postgres.ts')).openPostgresStore(url, options)
  },
  async lock(url, options) {
    return url.startsWith('sqlite:') ? (await import('./open-sqlite.ts')).lockSqliteStore(url, options) : null
  },
}

export default sqlStore
