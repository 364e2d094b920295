/**
 * A process that dies while it prunes or erases: at every step the log answers as before or as afterwards, and counts
 * stay consistent.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Log, Ports, Store } from '@gateway/contract'
import clickHouse from '@gateway/store-clickhouse'
import { expect } from 'chai'
import { entryAt } from '../../conformance/stores/log-entries.ts'
import { type ClickHouseServer, isClickHouseInstalled, startClickHouse } from '../../support/clickhouse.ts'

type LogStore = Store & Pick<Ports, 'log'>

const dayMs = 86_400_000
const at = 1_700_000_000_000

if (isClickHouseInstalled()) describe('an interrupted removal from ClickHouse', describeRemovals)
else console.log('left out: removals from ClickHouse, because the package chdb is not installed here')

/** The connection to a server, which is closed at a write after some writes. */
interface Way {
  url: string
  /** @param writes the number of writes that succeed from now on */
  cutAfter(writes: number): void
  close(): Promise<void>
}

async function openWay(target: string): Promise<Way> {
  let left = Number.POSITIVE_INFINITY
  const server: Server = createServer((incoming, outgoing) => {
    void forward(incoming).then(
      async ({ status, body }) => outgoing.writeHead(status).end(body),
      () => outgoing.destroy(),
    )
  })
  async function forward(incoming: IncomingMessage): Promise<{ status: number; body: Buffer }> {
    const body = await buffer(incoming)
    const text = decodeURIComponent(incoming.url?.replaceAll('+', ' ') ?? '') + body.toString()
    if (/insert into|alter table|delete from/i.test(text)) {
      left -= 1
      if (left < 0) throw new Error('The process is dead.')
    }
    const { method, headers, url: path } = incoming
    const { hostname: host, port } = new URL(target)
    const sent = request({ host, port, method, path, headers }).end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 500, body: await buffer(answer) }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(target)
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.href,
    cutAfter(writes) {
      left = writes
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function describeRemovals(this: Mocha.Suite): void {
  let server: ClickHouseServer
  let directory: string
  before(async () => {
    server = await startClickHouse()
    directory = await mkdtemp(join(tmpdir(), 'gateway-removals-'))
  })
  after(async () => {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  })
  const open = async (url: string) =>
    (await clickHouse.open(url, { directory, report: () => undefined })) as LogStore

  const bodies = {
    request: '{"a":1}',
    response: '{"b":2}',
    transformed_request: null,
    original_response: null,
  }
  const written = [0, 1, 2, 3, 4, 5].map((index) =>
    entryAt(at + index * 1000 + (index > 3 ? dayMs : 0), {
      organisation_id: index % 2 === 0 ? 'one' : 'two',
      metadata: { _user: index % 3 === 0 ? 'ann' : 'bob' },
      fields: { ai_model: 'small', response_time: 100 + index, cost: 1, source: 'gateway' },
      bodies,
    }),
  )

  const removals: readonly [what: string, remove: (log: Log) => Promise<number>, gone: number[]][] = [
    ['pruned by organisation', (log) => log.prune(at + 2 * dayMs, 100, 'one'), [0, 2, 4]],
    ['pruned with their day', (log) => log.prune(at + dayMs + 3500, 100), [0, 1, 2, 3]],
    ['erased', (log) => log.erase({ metadata: { _user: 'ann' } }, 100), [0, 3]],
  ]
  for (const [what, remove, gone] of removals) {
    it(`leaves no half-removed entry when entries are ${what}, and keeps the counts consistent`, async () => {
      const isErased = what === 'erased'
      const sums = { before: 6, after: isErased ? written.length - gone.length : 6 }
      const left = written.filter((_, index) => !gone.includes(index)).map(({ id }) => id)
      for (let writes = 0; ; writes += 1) {
        const url = server.createDatabase()
        const way = await openWay(url)
        const [sound, dying] = [await open(url), await open(way.url)]
        await sound.log.append(written)
        await dying.ping?.()
        way.cutAfter(writes)
        const isDead = await remove(dying.log).then(
          () => false,
          () => true,
        )
        const step = `after ${writes} writes`
        await checkAnswers(sound.log, Object.values(sums), step)
        // The next process completes it.
        while ((await remove(sound.log)) > 0);
        await checkAnswers(sound.log, [sums.after], `${step}, then ended`)
        expect(
          (await sound.log.list({}, { limit: 10, order: 'asc' })).map(({ id }) => id),
          step,
        ).to.deep.equal(left)
        const kept = await server.ask(url, 'select count() from log_contents')
        expect(Number(kept), step).to.equal(left.length)
        expect(
          Number(await server.ask(url, 'select count() from log_removals final where state < 3')),
        ).to.equal(0)
        for (const store of [sound, dying]) await store.close()
        await way.close()
        if (!isDead) {
          expect(writes).to.be.greaterThan(3)
          return
        }
      }
    })
  }

  async function checkAnswers(log: Log, counts: readonly number[], step: string): Promise<void> {
    const listed = await log.list({}, { limit: 10 })
    const read = await log.read(written.map(({ id }) => id))
    expect(read.map(({ id }) => id).sort(), step).to.deep.equal(listed.map(({ id }) => id).sort())
    for (const entry of read) expect(entry.bodies, step).to.deep.equal(bodies)
    const [group] = await log.aggregate({}, { by: [], histogram: true })
    expect(counts, step).to.include(group?.requests)
    expect(group?.cost, step).to.equal(group?.requests)
    const timed = [...(group?.histogram.values() ?? [])].reduce((sum, count) => sum + count, 0)
    expect(timed, step).to.equal(group?.requests)
    const moved = await hoursOf(log)
    expect(moved + listed.length, step).to.be.at.least(Math.min(...counts))
  }

  /** The counts of an export of the aggregates. */
  async function hoursOf({ aggregates }: Log): Promise<number> {
    let count = 0
    let hour = (await aggregates?.next(null)) ?? null
    while (hour !== null) {
      count += hour.aggregates.reduce((sum, { requests }) => sum + requests, 0)
      hour = (await aggregates?.next(hour.created_at)) ?? null
    }
    return count
  }
}
