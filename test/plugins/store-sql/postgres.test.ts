/** The store on a Postgres that stops, hangs, cuts its connections, or refuses them. */
import { tmpdir } from 'node:os'
import { type Documents, isGatewayError, type Ports, type Store } from '@gateway/contract'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { sql } from 'kysely'
import pg from 'pg'
import { openPostgres } from '#store-sql/postgres-database'
import { entryAt } from '../../conformance/stores/log-entries.ts'
import { stopClock } from '../../support/clock.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

type PostgresStore = Store & Ports

if (isPostgresInstalled()) describe('the Postgres store', describeTrouble)
else
  console.log('left out: a Postgres in trouble, because its server is not installed here, or may not be run')

function describeTrouble(): void {
  let server: PostgresServer
  let url: string
  let stores: PostgresStore[]
  let reports: string[]
  before(async () => {
    server = await startPostgres()
  })
  after(() => server.close())
  beforeEach(async () => {
    url = await server.createDatabase()
    stores = []
    reports = []
  })
  afterEach(async () => {
    for (const store of stores) await store.close()
  })

  async function open(at = url): Promise<PostgresStore> {
    const report = (message: string) => void reports.push(message)
    const store = (await sqlStore.open(at, { directory: tmpdir(), report })) as PostgresStore
    stores.push(store)
    return store
  }

  const operations = ({ documents, log, blobs, vectors, shared, ping }: PostgresStore) =>
    [
      ['ping', () => ping()],
      ['documents get', () => documents.get('config', 'id')],
      ['documents commit', () => put(documents)],
      ['log append', () => log.append([entryAt(1)])],
      ['log count', () => log.count({})],
      ['blobs head', () => blobs.head('key')],
      ['vectors nearest', () => vectors.nearest('c', [1], { limit: 1, minSimilarity: 0, nowMs: 0 })],
      ['shared increment', () => shared.increment('key', 1000)],
    ] as const

  async function codesOf(store: PostgresStore): Promise<Record<string, string | undefined>> {
    const codes = operations(store).map(async ([name, run]) => [
      name,
      await codeOf(run() as Promise<unknown>),
    ])
    return Object.fromEntries(await Promise.all(codes))
  }

  it('answers store_unavailable on every port while the server is unavailable, and recovers afterwards', async () => {
    const store = await open()
    expect(new Set(Object.values(await codesOf(store)))).to.deep.equal(new Set([undefined]))
    await server.stop()
    expect(new Set(Object.values(await codesOf(store)))).to.deep.equal(new Set(['store_unavailable']))
    await server.start()
    await until('the store answers', async () => (await codeOf(store.ping())) === undefined)
    expect(new Set(Object.values(await codesOf(store)))).to.deep.equal(new Set([undefined]))
  })

  it('survives connections that are cut, idle or in use', async () => {
    const store = await open()
    const heard = new Set<string>()
    store.documents.watch((changes) => {
      for (const { id } of changes) heard.add(id)
    })
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    for (let round = 0; round < 3; round += 1) {
      const writes = Array.from({ length: 20 }, () => codeOf(put(store.documents)))
      await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway'",
      )
      for (const code of await Promise.all(writes)) expect([undefined, 'store_unavailable']).to.include(code)
    }
    await admin.end()
    await until('the store answers', async () => (await codeOf(put(store.documents))) === undefined)
    const { total } = await store.documents.list('config', {}, { offset: 0, limit: 1 })
    expect(heard.size).to.be.at.most(total)
  })

  describe('with a server that hangs', () => {
    beforeEach(async () => {
      await put((await open()).documents)
      server.pause()
    })
    afterEach(() => server.resume())

    describe('times out', () => {
      // The time that a caller of the gateway waits, not twice that.
      const patienceMs = 7000
      const clock = stopClock()
      const calls = { 'a read': readOne, 'a write': put }
      for (const [what, run] of Object.entries(calls)) {
        it(`for ${what}`, async () => {
          const [store] = stores
          if (store === undefined) throw new Error('The store is not open.')
          const askedAt = Date.now()
          expect(await clock.run(codeOf(run(store.documents)))).to.equal('store_unavailable')
          expect(Date.now() - askedAt).to.be.at.most(patienceMs)
        })
      }
    })

    it('recovers when the server continues', async () => {
      const [store] = stores
      if (store === undefined) throw new Error('The store is not open.')
      await codeOf(readOne(store.documents))
      server.resume()
      await until('the store answers', async () => (await codeOf(put(store.documents))) === undefined)
    })
  })

  it('treats a slow server as available: queued queries run, even in a long queue', async () => {
    const database = openPostgres(url, { report: () => undefined, poolSize: 1, answerTimeoutMs: 3000 })
    try {
      const queries = Array.from({ length: 5 }, () => sql`select pg_sleep(0.8)`.execute(database.read))
      const ends = await Promise.allSettled(queries)
      expect(ends.map(({ status }) => status)).to.deep.equal(new Array(5).fill('fulfilled'))
    } finally {
      await database.close()
    }
  })

  it('disables JIT compilation, which takes longer than the query over the partitions of a month', async () => {
    const { read, close } = openPostgres(url, { report: () => undefined })
    const { rows } = await sql<{ jit: string }>`show jit`.execute(read)
    await close()
    expect(rows).to.deep.equal([{ jit: 'off' }])
  })

  it('can be opened before the server is available, and migrates the schema afterwards', async () => {
    await server.stop()
    const early = await open()
    expect(await codeOf(early.documents.get('config', 'id'))).to.equal('store_unavailable')
    expect(reports).to.include('Postgres is not available yet')
    await server.start()
    await until('the store answers', async () => (await codeOf(put(early.documents))) === undefined)
    expect((await (await open()).documents.list('config', {}, { offset: 0, limit: 1 })).total).to.equal(1)
  })

  for (const [what, change] of [
    ['password', (text: string) => text.replace('test-password', 'wrong-secret')],
    ['user', (text: string) => text.replace('gateway:', 'nobody:')],
    ['database', (text: string) => `${text}-none`],
    ['URL', () => 'postgres://user:wrong-secret@'],
  ] as const) {
    it(`refuses to open with a wrong ${what}, without repeating it`, async () => {
      const fault: unknown = await open(change(url)).then(
        () => null,
        (error: unknown) => error,
      )
      expect(isGatewayError(fault) && fault.code).to.equal('invalid_config')
      expect(errorText(fault)).to.not.include('wrong-secret').and.not.include('test-password')
    })
  }
}

async function readOne(documents: Documents): Promise<void> {
  await documents.get('config', crypto.randomUUID())
}

async function put(documents: Documents): Promise<void> {
  await documents.commit([
    {
      op: 'put',
      document: {
        kind: 'config',
        id: crypto.randomUUID(),
        organisation_id: 'org',
        workspace_id: null,
        slug: null,
        name: null,
        status: 'active',
        created_at: 1,
        last_updated_at: 1,
        keys: [],
        attributes: {},
        data: {},
      },
    },
  ])
}

async function codeOf(operation: Promise<unknown>): Promise<string | undefined> {
  return operation.then(
    () => undefined,
    (error: unknown) => (isGatewayError(error) ? error.code : String(error)),
  )
}

/** Everything that a log could print of an error, including its causes. */
function errorText(error: unknown): string {
  const texts: string[] = []
  for (let one = error; one instanceof Error; one = one.cause) {
    texts.push(String(one.stack), JSON.stringify(one, Object.getOwnPropertyNames(one)))
  }
  return texts.join('\n')
}
