/** The queue of request logs: no request waits for it, and every lost entry is counted. */

import type { Log, LogEntry } from '@gateway/contract'
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { createLogQueue } from '#core/observability/log-queue'

const entry = (id: number): LogEntry => ({
  id: String(id),
  created_at: id,
  organisation_id: 'organisation',
  workspace_id: null,
  fields: {},
  metadata: {},
  details: {},
  bodies: null,
})

function deferred() {
  let resolve: (entry: LogEntry) => void = () => undefined
  const promise = new Promise<LogEntry>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

describe('the request log queue', () => {
  let clock: Clock & { uninstall(): void }
  let written: string[]
  let isAway: boolean
  let dropped: number
  let reports: unknown[]
  let warnings: number[]
  const log = {
    async append(entries: readonly LogEntry[]) {
      if (isAway) throw new Error('away')
      written.push(...entries.map(({ id }) => id))
    },
  } as Log

  beforeEach(() => {
    clock = install({ shouldClearNativeTimers: true })
    written = []
    isAway = false
    dropped = 0
    reports = []
    warnings = []
  })
  afterEach(() => clock.uninstall())

  const open = (maxEntries = 10_000) =>
    createLogQueue({
      log,
      maxEntries,
      dropped: (count) => {
        dropped += count
      },
      warn: (count) => warnings.push(count),
      report: (error) => reports.push(error),
    })

  it('writes entries in order, after the requests', async () => {
    const queue = open()
    for (const id of [1, 2, 3]) queue.add(entry(id))
    expect(written).to.deep.equal([])
    await clock.tickAsync(1000)
    expect(written).to.deep.equal(['1', '2', '3'])
  })

  it('writes an entry with a pending addition once the addition has arrived or failed', async () => {
    const queue = open()
    const { promise, resolve } = deferred()
    queue.addLater(entry(1), promise)
    queue.addLater(entry(2), Promise.reject(new Error('no hook')))
    await clock.tickAsync(1000)
    expect(written).to.deep.equal(['2'])
    resolve(entry(10))
    await clock.tickAsync(1000)
    await queue.close()
    expect(written).to.deep.equal(['2', '10'])
  })

  it('writes an entry without its pending addition when the queue closes', async () => {
    const queue = open()
    const { promise, resolve } = deferred()
    queue.addLater(entry(1), promise)
    await queue.close()
    resolve(entry(10))
    await clock.tickAsync(1000)
    expect(written).to.deep.equal(['1'])
  })

  it('keeps entries that the store refuses, and writes them when the store is back', async () => {
    const queue = open()
    isAway = true
    for (const id of [1, 2]) queue.add(entry(id))
    await clock.tickAsync(10_000)
    queue.add(entry(3))
    isAway = false
    await clock.tickAsync(10_000)
    expect(written).to.deep.equal(['1', '2', '3'])
    expect(reports).to.have.length(1)
    expect(dropped).to.equal(0)
  })

  it('counts the entries that it drops when it is full', async () => {
    const queue = open(2)
    isAway = true
    for (const id of [1, 2, 3, 4]) queue.add(entry(id))
    expect(dropped).to.equal(2)
    isAway = false
    await queue.flush()
    expect(written).to.deep.equal(['1', '2'])
  })

  it('logs the number of dropped entries once in ten seconds, and the rest when it closes', async () => {
    const queue = open(1)
    isAway = true
    for (const id of [1, 2, 3]) queue.add(entry(id))
    expect(warnings).to.deep.equal([])
    await clock.tickAsync(10_000)
    expect(warnings).to.deep.equal([2])
    await clock.tickAsync(30_000)
    expect(warnings).to.deep.equal([2])
    for (const id of [4, 5, 6]) queue.add(entry(id))
    await clock.tickAsync(9000)
    expect(warnings).to.deep.equal([2])
    await clock.tickAsync(1000)
    queue.add(entry(7))
    await queue.close()
    expect(warnings).to.deep.equal([2, 3, 2])
  })

  it('writes all waiting entries when it closes, even more than one batch', async () => {
    const queue = open()
    for (let id = 0; id < 1700; id += 1) queue.add(entry(id))
    await queue.close()
    expect(written).to.have.length(1700)
    expect(new Set(written).size).to.equal(1700)
  })

  it('closes while the store is unavailable, and counts the lost entries', async () => {
    const queue = open()
    isAway = true
    for (const id of [1, 2, 3]) queue.add(entry(id))
    await queue.close()
    expect(dropped).to.equal(3)
  })
})
