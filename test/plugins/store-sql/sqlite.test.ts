/** Specific to the embedded store: two files, their modes, and the effects of a kill or a damaged file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type DocumentDraft,
  type Documents,
  isGatewayError,
  type Reservation,
  type Store,
} from '@gateway/contract'
import { timeOrderedId } from '@gateway/domain'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { sql } from 'kysely'
import { addLogColumns } from '#store-sql/log/add-columns'
import { createLog } from '#store-sql/log/log'
import { packEntries } from '#store-sql/log/packed-entries'
import { idBytes } from '#store-sql/log/packed-texts'
import { migrate, migrateFiles } from '#store-sql/migrate'
import { migrations } from '#store-sql/migrations/index'
import { openSqlite } from '#store-sql/sqlite-database'
import { SqliteDriver } from '#store-sql/sqlite-driver'
import { entryAt } from '../../conformance/stores/log-entries.ts'
import { useRealThreads } from '../../support/threads.ts'
import { until } from '../../support/until.ts'

const kills = 5
const writer = fileURLToPath(new URL('./writer.js', import.meta.url))

const draft: DocumentDraft = {
  kind: 'config',
  id: '0b0e7c5e-0000-4000-8000-000000000001',
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
}

/** The niceness of a thread of this process, which is the 19th member of its `stat`; NaN for one that has ended. */
async function priorityOf(thread: string): Promise<number> {
  const text = await readFile(`/proc/self/task/${thread}/stat`, 'utf8').catch(() => '')
  // The second member is a name, which may hold spaces.
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16] ?? Number.NaN)
}

describe('the embedded SQLite store', () => {
  useRealThreads()
  let directory: string
  let stores: Store[]
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-embedded-'))
    stores = []
  })
  afterEach(async () => {
    for (const store of stores) await store.close()
    await rm(directory, { recursive: true, force: true })
  })

  async function open(url = 'sqlite:gateway.db'): Promise<Store & { documents: Documents }> {
    const store = await sqlStore.open(url, { directory, report: () => undefined })
    stores.push(store)
    if (store.documents === undefined) throw new Error('There are no documents.')
    return { ...store, documents: store.documents }
  }

  it('runs in a thread with lower priority than the one that answers requests', async function () {
    if (process.platform !== 'linux') this.skip()
    await open()
    const threads = await readdir('/proc/self/task')
    const priorities = await Promise.all(threads.map(priorityOf))
    expect(priorities).to.include(Math.min(getPriority(0) + 5, 19))
  })

  it('is the SQLite of Node from 24.15 on, and of a package with binaries before', () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    const isOfNode = major > 25 || (major === 24 && minor >= 15)
    const driver = new SqliteDriver(':memory:')
    const [row] = driver.prepare('select sqlite_version() as version').all([]) as { version: string }[]
    driver.close()
    expect(row?.version === process.versions.sqlite).to.equal(isOfNode)
  })

  it('writes batches of log entries with the same statements, whatever their time', async () => {
    const database = openSqlite(join(directory, 'gateway-logs.db'), { isDurable: false })
    await migrate(
      database,
      migrations.filter(({ part }) => part === 'log'),
    )
    await addLogColumns(database)
    const { log } = createLog(database)
    const batch = (at: number) => packEntries([entryAt(at), entryAt(at + 1)])
    const prepared: string[] = []
    const { prepare } = SqliteDriver.prototype
    try {
      await log.appendPacked(batch(Date.UTC(2026, 0, 2)), false)
      SqliteDriver.prototype.prepare = function (text) {
        prepared.push(text)
        return prepare.call(this, text)
      }
      for (const day of [3, 4]) await log.appendPacked(batch(Date.UTC(2026, 0, day)), false)
    } finally {
      SqliteDriver.prototype.prepare = prepare
      await database.close()
    }
    expect(prepared).to.deep.equal([])
  })

  it('creates its folders and files, with a separate log file, readable only by their owner', async () => {
    await open('sqlite:below/here/gateway.db')
    const folder = join(directory, 'below/here')
    const names = (await readdir(folder)).filter((name) => name.endsWith('.db'))
    expect(names).to.deep.equal(['gateway-logs.db', 'gateway.db'])
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o077, name).to.equal(0)
    }
  })

  it('can be prepared: nothing is written before it is opened, and it then works as usual', async () => {
    sqlStore.prepare?.('sqlite:gateway.db')
    expect(await readdir(directory)).to.deep.equal([])
    const { documents } = await open()
    await documents.commit([{ op: 'put', document: draft }])
    const other = await open('sqlite:other.db')
    expect((await documents.get('config', draft.id))?.id).to.equal(draft.id)
    expect(await other.documents.get('config', draft.id)).to.equal(null)
  })

  it('waits for another process that writes, up to a timeout', async () => {
    const { documents } = await open()
    const other = new SqliteDriver(join(directory, 'gateway.db'))
    other.exec('begin immediate')
    const refused: unknown = await documents.commit([{ op: 'put', document: draft }]).catch((error) => error)
    expect(isGatewayError(refused) ? refused.code : refused).to.equal('store_unavailable')
    other.exec('rollback')
    other.close()
    await documents.commit([{ op: 'put', document: draft }])
  })

  it('reports the progress of a migration while it opens', async () => {
    const older = openSqlite(join(directory, 'gateway-logs.db'))
    await migrate(
      older,
      migrations.filter(({ version, part }) => version < 11 && part === 'log'),
    )
    await older.write((queries) =>
      sql`insert into log_facts (id, created_at, organisation_id, workspace_id, latency_bin)
        values (${idBytes(timeOrderedId(1))}, 1, 1, 1, 0)`.execute(queries),
    )
    await older.close()
    const reports: unknown[] = []
    const progress = (...report: unknown[]) => void reports.push(report)
    stores.push(await sqlStore.open('sqlite:gateway.db', { directory, report: () => undefined, progress }))
    expect(reports).to.deep.equal([['Migrating the store to version 11', 1, 1]])
  })

  it('stores an entry of 6 kB in less than 9 kB, also if an earlier version made the log', async () => {
    const entries = Array.from({ length: 1100 }, (_, index) =>
      entryAt(Date.UTC(2026, 0, 2) + index, {
        details: { index },
        bodies: {
          request: '{}',
          response: JSON.stringify('x'.repeat(6000)),
          transformed_request: null,
          original_response: null,
        },
      }),
    )
    const former = openSqlite(join(directory, 'gateway-logs.db'), { isDurable: false })
    const ofLog = migrations.filter(({ part }) => part === 'log')
    await migrate(former, ofLog)
    await addLogColumns(former)
    for (const some of [entries.slice(0, 300), entries.slice(300)])
      await createLog(former).log.appendPacked(packEntries(some), true)
    await former.close()
    const reports: unknown[] = []
    const progress = (...report: unknown[]) => void reports.push(report)
    const store = await sqlStore.open('sqlite:gateway.db', { directory, report: () => undefined, progress })
    stores.push(store)
    expect(reports).to.deep.equal([
      ['Ordering the bodies of the log', 1000, 1100],
      ['Ordering the bodies of the log', 1100, 1100],
    ])
    const found = await store.log?.read(entries.map(({ id }) => id))
    expect(found?.map(({ details, bodies }) => ({ details, bodies }))).to.deep.equal(
      entries.map(({ details, bodies }) => ({ details, bodies })),
    )
    await store.close()
    stores = []
    const database = openSqlite(join(directory, 'gateway-logs.db'), { isDurable: false })
    const { rows } = await sql<{ pages: number }>`select page_count - freelist_count as pages
      from pragma_page_count, pragma_freelist_count`.execute(database.read)
    await database.close()
    expect((Number(rows[0]?.pages) * 16_384) / entries.length).to.be.lessThan(9000)
  })

  it('leaves both files unchanged when a migration of the log fails, and migrates both once it can', async () => {
    const older = migrations.filter(({ version }) => version < 8)
    const paths = { main: join(directory, 'gateway.db'), log: join(directory, 'gateway-logs.db') }
    const versionsOf = async (path: string) => {
      const database = openSqlite(path)
      const rows = await database.read.selectFrom('schema_migrations').select('version').execute()
      await database.close()
      return rows.map(({ version }) => version)
    }
    const inLog = async (statement: string) => {
      const database = openSqlite(paths.log)
      await database.write((queries) => sql.raw(statement).execute(queries))
      await database.close()
    }
    const files = { main: openSqlite(paths.main), log: openSqlite(paths.log) }
    await migrateFiles(files, older)
    await files.main.close()
    await files.log.close()
    await inLog('create table log_names (taken integer)')
    expect(await open().then(() => 'opened', String)).to.include('The store rejected a query')
    expect([await versionsOf(paths.main), await versionsOf(paths.log)]).to.deep.equal([
      [1, 5, 6, 7],
      [2, 3, 4],
    ])
    await inLog('drop table log_names')
    await open()
    expect([await versionsOf(paths.main), await versionsOf(paths.log)]).to.deep.equal([
      [1, 5, 6, 7, 9, 14],
      [2, 3, 4, 8, 10, 11, 12, 13],
    ])
  })

  it('refuses a log of a newer version and leaves the main file unchanged', async () => {
    const main = openSqlite(join(directory, 'gateway.db'))
    await migrate(
      main,
      migrations.filter(({ version }) => version === 1),
    )
    const log = openSqlite(join(directory, 'gateway-logs.db'))
    await migrate(
      log,
      migrations.filter(({ part }) => part === 'log'),
    )
    await log.write((queries) =>
      queries.insertInto('schema_migrations').values({ version: 99, name: 'newer', applied_at: 0 }).execute(),
    )
    await log.close()
    expect(await open().then(() => 'opened', String)).to.include('schema version 99')
    const rows = await main.read.selectFrom('schema_migrations').select('version').execute()
    await main.close()
    expect(rows).to.deep.equal([{ version: 1 }])
  })

  it('frees the leases of killed processes when its folder is locked, independent of their clock', async () => {
    const hourMs = 3_600_000
    const nowMs = Date.now()
    const killed = await open()
    const fence = await killed.work?.acquire('batch', hourMs, nowMs + hourMs)
    const held: Reservation = {
      key: 'tokens',
      window: null,
      limit: 1,
      need: 1,
      admits: 'fits',
      takes: 'hold',
    }
    const reserve = async (store: Store, id: string, atMs: number) =>
      (await store.counters?.reserve(id, [held], { leaseMs: hourMs, nowMs: atMs }))?.isAdmitted
    expect(await reserve(killed, 'first', nowMs + hourMs)).to.equal(true)
    expect(await reserve(killed, 'second', nowMs)).to.equal(false)
    await killed.close()
    stores = []
    const lock = await sqlStore.lock?.('sqlite:gateway.db', { directory })
    try {
      const next = await open()
      const taken = await next.work?.acquire('batch', hourMs, nowMs)
      expect([fence, taken]).to.deep.equal([1, 2])
      expect(await next.work?.renew('batch', fence ?? 0, { ttlMs: hourMs, nowMs })).to.equal(false)
      expect(await reserve(next, 'second', nowMs)).to.equal(true)
    } finally {
      lock?.release()
    }
  })

  it('keeps the leases of another process while the folder is not locked', async () => {
    const [one, other] = [await open(), await open()]
    const nowMs = Date.now()
    expect(await one.work?.acquire('batch', 1000, nowMs)).to.equal(1)
    expect(await other.work?.acquire('batch', 1000, nowMs)).to.equal(null)
  })

  it('keeps everything after a restart', async () => {
    const before = await open()
    const source = async function* () {
      yield Buffer.from('bytes')
    }
    await before.blobs?.put('blob', source())
    await before.log?.append([entryAt(1, { details: { kept: true } })])
    await before.close()
    stores = []
    const after = await open()
    expect((await after.blobs?.head('blob'))?.sizeBytes).to.equal(5)
    const [entry] = (await after.log?.list({}, { limit: 10 })) ?? []
    expect((await after.log?.read([entry?.id ?? '']))?.[0]?.details).to.deep.equal({ kept: true })
  })

  it(`loses no acknowledged write when its process is killed ${kills} times`, async () => {
    const acknowledged: string[] = []
    for (let run = 0; run < kills; run += 1) {
      const process = spawn(globalThis.process.execPath, [writer, directory, `run${run}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let text = ''
      process.stdout.on('data', (chunk) => {
        text += String(chunk)
      })
      const seen = () => text.split('\n').length - 1
      await until('the process wrote', () => seen() > 100)
      process.kill('SIGKILL')
      await once(process, 'close')
      acknowledged.push(...text.split('\n').slice(0, -1))
    }
    const { documents } = await open()
    expect(acknowledged.length).to.be.greaterThan(kills * 100)
    const missing: string[] = []
    for (const id of acknowledged)
      if ((await documents.findByKey('config', `name:${id}`))?.id !== id) missing.push(id)
    expect(missing).to.deep.equal([])
    // No partial writes.
    const { total } = await documents.list('config', {}, { offset: 0, limit: 1 })
    let walked = 0
    for (let after = null; ; ) {
      const page = await documents.scan('config', after, 1000)
      const last = page.at(-1)
      if (last === undefined) break
      walked += page.length
      after = { kind: last.kind, id: last.id }
    }
    expect(walked).to.equal(total)
  })

  it('answers store_unavailable for a file that is not a database, without its path', async () => {
    await writeFile(join(directory, 'gateway.db'), 'This is not a database at all.'.repeat(200))
    const fault: unknown = await open().then(
      () => null,
      (error: unknown) => error,
    )
    expect(isGatewayError(fault) && fault.code).to.equal('store_unavailable')
    expect(String(fault)).to.not.include(directory)
  })

  it('refuses calls after it is closed', async () => {
    const { documents, close } = await open()
    stores = []
    await close()
    const fault: unknown = await documents.get('config', 'id').then(
      () => null,
      (error: unknown) => error,
    )
    expect(isGatewayError(fault) && fault.code).to.equal('store_unavailable')
  })

  for (const url of ['sqlite:', 'sqlite:a\u0000b']) {
    it(`refuses the URL ${JSON.stringify(url)}`, async () => {
      const fault: unknown = await open(url).then(
        () => null,
        (error: unknown) => error,
      )
      expect(isGatewayError(fault) && fault.code).to.equal('invalid_config')
    })
  }
})
