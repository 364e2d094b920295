/** Counters of the workers of one machine, with real worker processes; this process is their primary. */
import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type CounterSnapshots, type Counters, GatewayError, type Reservation } from '@gateway/contract'
import { expect } from 'chai'
import { createEmbeddedCounters } from '#counters/embedded-counters'
import { createMemoryCounters } from '#counters/memory-counters'
import { serveCounters } from '#store/cluster-counters'
import { describeCounters } from '../../conformance/stores/counters.ts'
import type { Call, Report } from './fixtures/counters-worker.ts'

const requests = 400

describe('counters of workers', () => {
  let server: { close(): void }
  let workers: Worker[]
  let counters: RemoteCounters[]
  /** Reservations and settlements that the primary carried out. */
  let calls = 0
  /** Messages about counters that the primary received. */
  let messages = 0

  before(async () => {
    const kept = createMemoryCounters()
    const counted: Counters = {
      ...kept,
      reserve(...given) {
        calls += 1
        return kept.reserve(...given)
      },
    }
    server = serveCounters(cluster, counted, () => undefined)
    workers = await startWorkers()
    counters = workers.map(remoteCounters)
    cluster.on('message', (_, message: unknown) => {
      if (typeof message === 'object' && message !== null && 'calls' in message) messages += 1
    })
  })
  after(async () => {
    await stop(workers)
    server.close()
  })

  // Each operation crosses two processes, so the model runs less often.
  describeCounters('of the workers of one machine', async () => counters, 10)

  it('need one message for all reservations of a turn', async () => {
    const [one] = counters
    calls = 0
    messages = 0
    const asked = Array.from({ length: requests }, (_, index): Call['given'] => [
      `attempt-${index}`,
      [{ key: 'burst', window: null, limit: 150, need: 1, admits: 'open', takes: 'hold' }],
      60_000,
      Date.now(),
    ])
    const results = (await one?.inOneTurn('reserve', asked)) as { isAdmitted: boolean }[]
    expect(results.filter(({ isAdmitted }) => isAdmitted)).to.have.length(150)
    expect([calls, messages]).to.deep.equal([requests, 1])
  })
})

describe('counters of workers during failures', () => {
  let server: { close(): void }
  let workers: Worker[]
  let counters: RemoteCounters[]
  /** The error of the primary's store. */
  let fault: GatewayError | null

  before(async () => {
    const fail = () => (fault === null ? null : Promise.reject(fault))
    const snapshots: CounterSnapshots = {
      load: async (keys) => (await fail()) ?? keys.map(() => undefined),
      save: async () => void (await fail()),
    }
    const stored = { ...createMemoryCounters(), snapshots }
    server = serveCounters(
      cluster,
      createEmbeddedCounters(stored, { report: () => undefined }),
      () => undefined,
    )
    workers = await startWorkers()
    counters = workers.map(remoteCounters)
  })
  beforeEach(() => {
    fault = null
  })
  after(async () => {
    await stop(workers)
    server.close()
  })

  it('answer as one process does while the store of the primary fails: known limits exactly, others with its error', async () => {
    const [one, other] = counters
    const ask = (key: string, need: number) => async (each: RemoteCounters | undefined) =>
      each?.reserve(randomUUID(), [budget(key, need)], { leaseMs: 60_000, nowMs: Date.now() })
    await ask('known', 60)(one)
    fault = new GatewayError('store_unavailable', 'The store is not available.', {
      storeFault: 'SQLITE_FULL: database or disk is full',
    })
    const outcomes = [ask('known', 30)(other), ask('known', 30)(one), ask('known', 30)(other)]
    const admitted = (await Promise.all(outcomes)).map((each) => each?.isAdmitted)
    // The order of requests of two processes is not determined.
    expect(admitted.filter((isAdmitted) => isAdmitted)).to.have.length(2)
    for (const each of [one, other])
      expect(await ask('unknown', 1)(each).then(() => 'counted', String)).to.equal(
        'Error: store_unavailable: The store is not available. (SQLITE_FULL: database or disk is full)',
      )
    fault = null
    expect((await ask('unknown', 1)(one))?.isAdmitted).to.equal(true)
  })

  it('release the reservations of a killed worker, and keep its usage', async () => {
    const [one, other] = counters
    const now = Date.now()
    await one?.reserve('ended', [budget('shared', 40)], { leaseMs: 60_000, nowMs: now })
    await one?.settle('ended', [{ key: 'shared', amount: 25, window: null }], now)
    await one?.reserve('open', [budget('shared', 50)], { leaseMs: 60_000, nowMs: now })
    await other?.reserve('own', [budget('shared', 5)], { leaseMs: 60_000, nowMs: now })
    const read = () => other?.read([{ key: 'shared', window: null }], Date.now())
    expect(await read()).to.deep.equal([{ used: 25, reserved: 55 }])
    const [victim] = workers
    if (victim === undefined) throw new Error('No worker was started.')
    const gone = once(victim, 'disconnect')
    victim.process.kill('SIGKILL')
    await gone
    expect(await read()).to.deep.equal([{ used: 25, reserved: 5 }])
    // Delivered late, it is charged no second time.
    await other?.settle('open', [{ key: 'shared', amount: 50, window: null }], Date.now())
    await other?.settle('ended', [{ key: 'shared', amount: 25, window: null }], Date.now())
    expect(await read()).to.deep.equal([{ used: 25, reserved: 5 }])
  })
})

async function startWorkers(): Promise<Worker[]> {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./fixtures/counters-worker.js', import.meta.url)) })
  const workers = [cluster.fork(), cluster.fork()]
  // Their first message; before it they receive nothing.
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  return workers
}

async function stop(workers: readonly Worker[]): Promise<void> {
  const left = workers.filter((worker) => !worker.isDead())
  const gone = left.map((worker) => once(worker, 'exit'))
  for (const worker of left) worker.kill()
  await Promise.all(gone)
}

const budget = (key: string, need: number): Reservation => ({
  key,
  window: null,
  limit: 100,
  need,
  admits: 'open',
  takes: 'hold',
})

type RemoteCounters = Counters & {
  inOneTurn(method: Call['method'], given: readonly Call['given'][]): Promise<unknown[]>
}

/** The counters inside a worker, called from here; a rejection is the error's code. */
function remoteCounters(worker: Worker): RemoteCounters {
  const waiting = new Map<number, (report: Partial<Report>) => void>()
  let lastCallId = 0
  worker.on('message', (report: Partial<Report>) => {
    if ('callId' in report && report.callId !== undefined) waiting.get(report.callId)?.(report)
  })

  function inOneTurn(method: Call['method'], all: readonly Call['given'][]): Promise<unknown[]> {
    const calls = all.map((given): Call => {
      lastCallId += 1
      return { callId: lastCallId, method, given }
    })
    const answers = calls.map(
      ({ callId }) =>
        new Promise<unknown>((resolve, reject) => {
          waiting.set(callId, (report) => {
            if ('code' in report) reject(new Error(`${report.code}: ${report.reason}`))
            else resolve('value' in report ? report.value : undefined)
          })
        }),
    )
    worker.send({ calls })
    return Promise.all(answers)
  }

  const call =
    (method: Call['method']) =>
    async <T>(...given: readonly unknown[]): Promise<T> =>
      (await inOneTurn(method, [given]))[0] as T

  return {
    reserve: call('reserve'),
    settle: call('settle'),
    read: call('read'),
    reset: call('reset'),
    seed: call('seed'),
    list: call('list'),
    listWindows: call('listWindows'),
    seedWindows: call('seedWindows'),
    inOneTurn,
  }
}
