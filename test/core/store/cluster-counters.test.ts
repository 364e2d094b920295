/** Counters of the workers of one machine, with real worker processes; this process is their primary. */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Counters } from '@gateway/contract'
import { expect } from 'chai'
import { serveCounters } from '#core/store/cluster-counters'
import { createMemoryCounters } from '#core/store/memory/counters'
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
    cluster.setupPrimary({ exec: fileURLToPath(new URL('./fixtures/counters-worker.js', import.meta.url)) })
    const kept = createMemoryCounters()
    server = serveCounters(cluster, {
      ...kept,
      reserve(...given) {
        calls += 1
        return kept.reserve(...given)
      },
    })
    workers = [cluster.fork(), cluster.fork()]
    // Their first message; before it they receive nothing.
    await Promise.all(workers.map((worker) => once(worker, 'message')))
    counters = workers.map(remoteCounters)
    cluster.on('message', (_, message: unknown) => {
      if (typeof message === 'object' && message !== null && 'calls' in message) messages += 1
    })
  })
  after(async () => {
    const gone = workers.filter((worker) => !worker.isDead()).map((worker) => once(worker, 'exit'))
    for (const worker of workers) worker.kill()
    await Promise.all(gone)
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
            if ('code' in report) reject(new Error(report.code))
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
