/** Counters on SQL: the suite for all engines on both databases, stored rows, and their removal. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Counters, Store } from '@gateway/contract'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { createCounters } from '#store-sql/counters'
import type { Database } from '#store-sql/database'
import { openPostgres } from '#store-sql/postgres-database'
import { openSqlite } from '#store-sql/sqlite-database'
import { upgrade } from '#store-sql/upgrade'
import { borderMs, describeCounters, hold, minute, request } from '../../conformance/stores/counters.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { describeEmbedded } from '../../support/servers.ts'

const modelRuns = 20
const report = () => undefined

describeEmbedded('counters on SQLite', () => {
  let directory: string
  let stores: Store[]
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-counters-'))
    const open = () => sqlStore.open('sqlite:counters.db', { directory, report })
    stores = [await open(), await open()]
  })
  after(async () => {
    for (const store of stores) await store.close()
    await rm(directory, { recursive: true, force: true })
  })

  describeCounters('on sqlite', async () => stores.map(countersOf), modelRuns)

  it('are kept after a restart', async () => {
    const [store] = stores
    if (store === undefined) throw new Error('There is no store.')
    await countersOf(store).seed([{ key: 'restart', used: 4.5 }])
    await store.close()
    stores[0] = await sqlStore.open('sqlite:counters.db', { directory, report })
    expect(await countersOf(stores[0]).read([{ key: 'restart', window: null }], borderMs)).to.deep.equal([
      { used: 4.5, reserved: 0 },
    ])
  })
})

if (isPostgresInstalled()) {
  describe('counters on Postgres', () => {
    let server: PostgresServer
    let databases: Database[]
    before(async () => {
      server = await startPostgres()
      const url = await server.createDatabase()
      databases = [openPostgres(url, { report }), openPostgres(url, { report })]
      for (const database of databases) await upgrade(database)
    })
    after(async () => {
      for (const database of databases) await database.close()
      await server.close()
    })

    const open = async () => databases.map((database) => createCounters(database, { clock: 'caller' }))
    describeCounters('on postgres', open, modelRuns)
    describeUpkeep(() => databases[0])

    it('use the clock of the server', async () => {
      const [one, other] = databases.map((database) => createCounters(database))
      const hour = { lengthMs: 3_600_000, offsetMs: 0 }
      await one?.reserve('a', [request('server', 1, hour)], { leaseMs: 1000, nowMs: 0 })
      expect(
        (await other?.reserve('b', [request('server', 1, hour)], { leaseMs: 1000, nowMs: borderMs }))
          ?.isAdmitted,
      ).to.equal(false)
    })

    it('allow exactly the limit to many concurrent requests with the same limits in different order', async () => {
      const [one, other] = await open()
      const limits = ['x', 'y', 'z'].map((key) => request(key, 20))
      const results = await Promise.all(
        Array.from({ length: 60 }, (_, index) => {
          const wanted = index % 2 ? limits : limits.toReversed()
          return (index % 3 ? one : other)?.reserve(`a${index}`, wanted, { leaseMs: 1000, nowMs: borderMs })
        }),
      )
      expect(results.filter((result) => result?.isAdmitted)).to.have.length(20)
    })
  })
} else {
  console.log('left out: counters on Postgres, because it is not installed here')
}

describeEmbedded('counters on SQLite, in one thread', () => {
  let database: Database
  before(async () => {
    database = openSqlite(':memory:')
    await upgrade(database)
  })
  after(() => database.close())
  describeUpkeep(() => database)
})

describeEmbedded('counters on SQL with many concurrent requests', () => {
  let database: Database
  let writes: number
  before(async () => {
    database = openSqlite(':memory:')
    await upgrade(database)
  })
  beforeEach(() => {
    writes = 0
  })
  after(() => database.close())
  const counted = (): Database => ({
    ...database,
    write(work, options) {
      writes += 1
      return database.write(work, options)
    },
  })

  it('take two transactions for 400 reservations: one for the first, one for all that waited', async () => {
    const counters = createCounters(counted())
    const results = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        counters.reserve(`many/${index}`, [request('many', 100), hold('many/tokens', 1e6, { need: 1 })], {
          leaseMs: 1000,
          nowMs: borderMs,
        }),
      ),
    )
    expect(results.filter(({ isAdmitted }) => isAdmitted)).to.have.length(100)
    expect(writes).to.equal(2)
  })

  it('take one more transaction per 256 different keys', async () => {
    const counters = createCounters(counted())
    const reserve = (index: number) =>
      counters.reserve(`keys/${index}`, [request(`keys/${index}`, 1)], { leaseMs: 1000, nowMs: borderMs })
    await Promise.all(Array.from({ length: 1 + 256 * 2 }, (_, index) => reserve(index)))
    expect(writes).to.equal(3)
  })

  it('keep the order of operations within a batch: reserve, settle, and reserve again', async () => {
    const counters = createCounters(counted())
    const key = 'order'
    await Promise.all([
      counters.reserve('first', [hold(key, 100, { need: 1 })], { leaseMs: 1000, nowMs: borderMs }),
      counters.reserve('a', [hold(key, 100, { need: 40 })], { leaseMs: 1000, nowMs: borderMs }),
      counters.reserve('a', [hold(key, 100, { need: 10 })], { leaseMs: 1000, nowMs: borderMs }),
      counters.settle('a', [{ key, window: minute, amount: 7 }], borderMs),
      counters.settle('a', [{ key, window: minute, amount: 99 }], borderMs),
      counters.reserve('a', [hold(key, 100, { need: 5 })], { leaseMs: 1000, nowMs: borderMs }),
    ])
    expect(writes).to.equal(2)
    expect(await counters.read([{ key, window: minute }], borderMs)).to.deep.equal([{ used: 7, reserved: 6 }])
    expect(await counters.settle('a', [{ key, window: minute, amount: 2 }], borderMs)).to.deep.equal([
      { used: 9, reserved: 1 },
    ])
  })

  it('refuse waiting operations when the database is unavailable, and retry later', async () => {
    let isAway = true
    const counters = createCounters({
      ...database,
      write(work, options) {
        writes += 1
        return isAway ? Promise.reject(new Error('away')) : database.write(work, options)
      },
    })
    const reserve = (index: number) =>
      counters.reserve(`away/${index}`, [request('away', 9)], { leaseMs: 1000, nowMs: borderMs })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => reserve(index)))
    expect(outcomes.every(({ status }) => status === 'rejected')).to.equal(true)
    expect(writes).to.equal(1)
    isAway = false
    expect((await reserve(20)).isAdmitted).to.equal(true)
  })
})

/** Removal of expired rows. */
function describeUpkeep(databaseOf: () => Database | undefined): void {
  it('keep no expired window and no expired lease', async () => {
    const database = databaseOf()
    if (database === undefined) throw new Error('There is no database.')
    const counters = createCounters(database, { clock: 'caller' })
    const wanted = [
      request('up/requests', 9),
      hold('up/tokens', 9, { need: 2 }),
      hold('up/budget', 9, { need: 2, given: { window: null } }),
    ]
    await counters.reserve('dead', wanted, { leaseMs: 600_000, nowMs: borderMs })
    const left = async () => {
      const rows = await database.read
        .selectFrom('counters')
        .select('key')
        .where('key', 'like', 'up/%')
        .execute()
      const leases = await database.read
        .selectFrom('counter_leases')
        .select('key')
        .where('attempt', '=', 'dead')
        .execute()
      return { rows: rows.map(({ key }) => key).sort(), leases: leases.length }
    }
    await counters.sweep(borderMs + 500_000)
    expect(await left()).to.deep.equal({ rows: ['up/budget', 'up/tokens'], leases: 2 })
    await counters.sweep(borderMs + 600_000)
    expect(await left()).to.deep.equal({ rows: ['up/budget'], leases: 0 })
    expect(await counters.read([{ key: 'up/tokens', window: minute }], borderMs)).to.deep.equal([
      { used: 0, reserved: 0 },
    ])
  })
}

function countersOf({ counters }: Store): Counters {
  if (counters === undefined) throw new Error('It has no counters.')
  return counters
}
