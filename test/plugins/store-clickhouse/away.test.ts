/** A ClickHouse that is unavailable, refuses writes or comes back: no acknowledged entry is lost or duplicated. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isGatewayError, type LogFeedback, type Ports, type Store } from '@gateway/contract'
import { timeOrderedId } from '@gateway/domain'
import clickHouse from '@gateway/store-clickhouse'
import { expect } from 'chai'
import { entryAt } from '../../conformance/stores/log-entries.ts'
import { type ClickHouseServer, isClickHouseInstalled, startClickHouse } from '../../support/clickhouse.ts'
import { until } from '../../support/until.ts'

type LogStore = Store & Pick<Ports, 'log'>

const at = 1_700_000_000_000

if (isClickHouseInstalled()) describe('the ClickHouse store while the server is unavailable', describeTrouble)
else console.log('left out: ClickHouse in trouble, because the package chdb is not installed here')

function describeTrouble(this: Mocha.Suite): void {
  let server: ClickHouseServer
  let directory: string
  let queue: string
  let reports: string[]
  let opened: LogStore[]
  before(async () => {
    server = await startClickHouse()
  })
  after(() => server.close())
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-queue-'))
    queue = join(directory, 'clickhouse-queue')
    reports = []
    opened = []
  })
  afterEach(async () => {
    await server.start()
    for (const store of opened) await store.close()
    await rm(directory, { recursive: true, force: true })
  })

  const open = async (url: string): Promise<LogStore> => {
    const options = { directory, report: (message: string) => void reports.push(message) }
    const store = (await clickHouse.open(url, options)) as LogStore
    opened.push(store)
    return store
  }
  const idsIn = async ({ log }: LogStore) => (await log.list({}, { limit: 1000 })).map(({ id }) => id).sort()
  const some = (count: number) => Array.from({ length: count }, (_, index) => entryAt(at + index))
  const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id).sort()

  it('keeps entries on disk, and sends each once when the server is back', async () => {
    const store = await open(server.createDatabase())
    const entries = some(12)
    await store.log.append(entries.slice(0, 2))
    await server.stop()
    await store.log.append(entries.slice(2, 7))
    await store.log.append(entries.slice(5))
    expect(await readdir(queue)).to.have.length(2)
    await server.start()
    await until('the log has it', async () => (await readdir(queue)).length === 0)
    expect(await idsIn(store)).to.deep.equal(idsOf(entries))
    expect(reports).to.deep.equal(['ClickHouse is unavailable; log entries are queued on disk'])
  })

  it('drops entries that were erased while they waited on the disk of another gateway', async () => {
    const url = server.createDatabase()
    const store = await open(url)
    const now = Date.now()
    const [theirs, later, others] = [
      entryAt(now - 2000, { metadata: { _user: 'ann' } }),
      entryAt(now + 60_000, { metadata: { _user: 'ann' } }),
      entryAt(now - 2000, { metadata: { _user: 'bob' } }),
    ]
    await server.stop()
    await store.log.append([theirs, later, others])
    const [waiting = ''] = await readdir(queue)
    // The same as on a separate machine, which this gateway does not clear.
    await rename(join(queue, waiting), join(directory, waiting))
    await server.start()
    await until('the server answers', async () => (await codeOf(store.ping())) === undefined)
    expect(await store.log.erase({ metadata: { _user: 'ann' } }, 10)).to.equal(0)
    await rename(join(directory, waiting), join(queue, waiting))
    await open(url)
    await until('the log has the rest', async () => (await readdir(queue)).length === 0)
    expect(await idsIn(store)).to.deep.equal(idsOf([later, others]))
  })

  it('can be opened, and fails only reads', async () => {
    const url = server.createDatabase()
    await server.stop()
    const store = await open(url)
    const [entry] = some(1)
    await store.log.append(entry === undefined ? [] : [entry], { isDurable: true })
    for (const question of [store.ping(), store.log.count({}), store.log.aggregate({}, { by: [] })])
      expect(await codeOf(question)).to.equal('store_unavailable')
    await server.start()
    await until('the log has it', async () => (await codeOf(store.ping())) === undefined)
    await until('the log has it', async () => (await store.log.count({})) === 1)
  })

  it('sends after a restart the entries that an earlier process left, including those of an unfinished insert', async () => {
    const url = server.createDatabase()
    await server.stop()
    const former = await open(url)
    const entries = some(4)
    await former.log.append(entries.slice(0, 2))
    await former.log.append(entries.slice(2))
    await former.close()
    const [first = ''] = await readdir(queue)
    // The claim of a process that has ended.
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    await rename(join(queue, first), join(queue, `${first}.${pid}-${timeOrderedId(at)}`))
    await server.start()
    const store = await open(url)
    await until('the log has it', async () => (await store.log.count({})) === 4)
    expect(await idsIn(store)).to.deep.equal(idsOf(entries))
    expect(await readdir(queue)).to.deep.equal([])
  })

  it('keeps feedback', async () => {
    const store = await open(server.createDatabase())
    await server.stop()
    const feedback: LogFeedback = {
      ...{ id: timeOrderedId(at), created_at: at, last_updated_at: at, organisation_id: 'o' },
      ...{ workspace_id: 'w', trace_id: 't', value: 3, weight: 0.5, metadata: { why: 'x' } },
      ...{ source: 'api', api_key_id: null, user_id: null },
    }
    await store.log.feedback.put([feedback])
    await server.start()
    const list = () => store.log.feedback.list({}, { offset: 0, limit: 10 })
    await until('the log has it', async () => (await list().catch(() => [])).length > 0)
    expect(await list()).to.deep.equal([feedback])
  })

  it('refuses entries when its queue is full, and accepts them again when there is room', async () => {
    const store = await open(server.createDatabase({ batch_ms: '0', queue_mb: '1' }))
    await server.stop()
    const large = () => some(1).map((entry) => ({ ...entry, details: { text: 'x'.repeat(600_000) } }))
    await store.log.append(large())
    expect(await codeOf(store.log.append(large()))).to.equal('store_unavailable')
    await server.start()
    await until('the log has it', async () => (await codeOf(store.log.append(large()))) === undefined)
  })

  it('drops rows that the server refuses, logs their number, and sends the others', async () => {
    const store = await open(server.createDatabase())
    await server.stop()
    const entries = some(2)
    await store.log.append(entries)
    const line = JSON.stringify({ fact: { id: 'no-uuid', created_at: at }, content: { id: 'no-uuid' } })
    const name = `00000000000000-${timeOrderedId(at)}.entries.1.${line.length}.jsonl`
    await writeFile(join(queue, name), `${line}\n`)
    await server.start()
    await until('the log has it', async () => (await readdir(queue)).length === 0)
    expect(await idsIn(store)).to.deep.equal(idsOf(entries))
    expect(reports).to.include('ClickHouse refused 1 rows of the log, which are lost')
  })

  it('combines many small batches into few inserts', async () => {
    const url = server.createDatabase({ batch_ms: '1000' })
    const store = await open(url)
    await Promise.all(some(40).map((entry) => store.log.append([entry])))
    await until('the log has it', async () => (await store.log.count({})) === 40)
    const last = `select max(max_block_number) from system.parts
      where database = currentDatabase() and table = 'log_facts'`
    expect(Number(await server.ask(url, last))).to.be.within(2, 10)
  })

  it('deletes partitions two days after the end of the retention', async () => {
    const url = server.createDatabase()
    const store = await open(url)
    await store.log.append([entryAt(Date.now())])
    // The time of pruning is taken a moment before the store reads its clock.
    await store.log.prune(Date.now() - 30 * 86_400_000 - 5, 100)
    for (const table of ['log_facts', 'log_contents'])
      expect(await server.ask(url, `show create table ${table}`)).to.include('toIntervalDay(32)')
    expect(await store.log.count({})).to.equal(1)
  })

  it('never shows its password', async () => {
    const url = new URL(server.createDatabase())
    url.password = 'wrong-secret'
    const store = await open(url.href)
    const fault = await store.ping().then(() => '', errorText)
    expect(fault).to.include('store_unavailable').and.not.include('secret')
  })
}

describe('the URL of ClickHouse', () => {
  const faults: [url: string, words: string][] = [
    ['clickhouse://', 'it has no host'],
    ['clickhouse:', 'it has no host'],
    ['clickhouse://user:secret@host/a-b', 'the database must be a name'],
    ['clickhouse://user:secret@host/db?batch_ms=fast', 'batch_ms must be a whole number'],
    ['clickhouse://user:secret@host/db?batch=1', 'the parameter batch is unknown'],
    ['clickhouse://user:secret@host:port/db', 'it is not a URL'],
  ]
  for (const [url, words] of faults) {
    it(`is refused as ${url.replace('secret', '…')} without being repeated`, async () => {
      const options = { directory: tmpdir(), report: () => undefined }
      const fault = await clickHouse.open(url, options).then(() => '', errorText)
      expect(fault).to.include('invalid_config').and.include(words).and.not.include('secret')
    })
  }
})

async function codeOf(operation: Promise<unknown>): Promise<string | undefined> {
  return operation.then(
    () => undefined,
    (error: unknown) => (isGatewayError(error) ? error.code : String(error)),
  )
}

/** Everything that a log could print of an error, including its causes. */
function errorText(error: unknown): string {
  const texts: string[] = []
  for (let one = error; one instanceof Error; one = one.cause)
    texts.push(String(one.stack), JSON.stringify(one, Object.getOwnPropertyNames(one)))
  return texts.join('\n')
}
