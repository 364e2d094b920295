/** Shared state of the workers of one machine, with real worker processes; this process is their primary. */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SharedState } from '@gateway/contract'
import { expect } from 'chai'
import { serveSharedState } from '#store/cluster'
import { describeSharedState } from '../../conformance/store.ts'
import { until } from '../../conformance/store-until.ts'
import type { Call, Report } from './fixtures/cluster-worker.ts'

const exitLimitMs = 5000

describe('shared state of workers', () => {
  let server: { close(): void }
  let workers: Worker[]
  let states: SharedState[]

  before(async () => {
    cluster.setupPrimary({ exec: fileURLToPath(new URL('./fixtures/cluster-worker.js', import.meta.url)) })
    server = serveSharedState(cluster)
    workers = [cluster.fork(), cluster.fork(), cluster.fork()]
    // Their first message; before it they receive nothing.
    await Promise.all(workers.map((worker) => once(worker, 'message')))
    states = workers.map(remoteState)
  })
  after(async () => {
    await Promise.all(workers.map(end))
    server.close()
  })

  describeSharedState('of the workers of one machine', async () => states)

  describe('after a failure', () => {
    it('continues after a worker died with a lease and a subscription', async () => {
      const [dying, ...staying] = states
      const [victim] = workers
      if (dying === undefined || victim === undefined) throw new Error('No worker was started.')
      const messages: string[] = []
      await dying.subscribe('news', () => undefined)
      await dying.acquire('lease', 200)
      await staying[0]?.subscribe('news', (message) => messages.push(message))

      victim.process.kill('SIGKILL')
      await staying[1]?.publish('news', 'still here')
      await until(async () => messages.length === 1)
      await until(async () => (await staying[1]?.acquire('lease', 200)) === true)
    })

    it('rejects with dependency_unavailable when the primary does not answer', async () => {
      server.close()
      const code = await states[1]?.increment('count', 1000).catch((error: unknown) => error)
      expect(code).to.equal('dependency_unavailable')
    })
  })
})

/** The shared state inside a worker, called from here; a rejection is the error's code. */
function remoteState(worker: Worker): SharedState {
  const listeners = new Map<string, ((message: string) => void)[]>()
  const waiting = new Map<number, (report: Partial<Report>) => void>()
  let lastCallId = 0

  worker.on('message', (report: Partial<Report>) => {
    if ('callId' in report && report.callId !== undefined) waiting.get(report.callId)?.(report)
    if (!('heard' in report)) return
    for (const listener of listeners.get(String(report.topic)) ?? []) listener(String(report.heard))
  })

  function call(operation: Call['operation'], name: string, argument: number | string): Promise<unknown> {
    lastCallId += 1
    const callId = lastCallId
    return new Promise<unknown>((resolve, reject) => {
      waiting.set(callId, (report) => {
        if ('code' in report) reject(report.code)
        else resolve('value' in report ? report.value : undefined)
      })
      worker.send({ callId, operation, name, argument })
    })
  }

  return {
    increment: async (key, ttlMs) => Number(await call('increment', key, ttlMs)),
    acquire: async (key, ttlMs) => Boolean(await call('acquire', key, ttlMs)),
    delete: async (key) => void (await call('delete', key, 0)),
    publish: async (topic, message) => void (await call('publish', topic, message)),
    async subscribe(topic, listener) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener])
      await call('subscribe', topic, 0)
    },
  }
}

/** Stops a worker and waits for it; one that does not exit is killed. */
async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const gone = once(worker, 'exit')
  const limit = setTimeout(() => worker.process.kill('SIGKILL'), exitLimitMs)
  worker.disconnect()
  await gone
  clearTimeout(limit)
}
