/**
 * `--workers N`: a primary process that does not listen itself. It starts workers, replaces one that dies, forwards
 * signals, keeps their shared state (unless Redis does), and sums their metrics.
 */
import cluster, { type Worker } from 'node:cluster'
import { resolve } from 'node:path'
import process from 'node:process'
import type { Environment } from '@gateway/config-file'
import { faultReason, type StoreLock } from '@gateway/contract'
import { sleep } from '@gateway/flow'
import { serveCounters, serveSharedState } from '@gateway/store'
import { serveMetrics } from '../observability/index.ts'
import { type CreatedAdminKey, printKey } from './admin-key.ts'
import { describeStoreFaults } from './describe-faults.ts'
import { chooseOptions, loadAll, StartError } from './open-gateway.ts'
import { lockStore, openPrimaryCounters, type PrimaryCounters } from './open-ports.ts'
import { openKeys } from './open-runtime.ts'
import { type Flags, resolveOptions, storeUrlOf } from './options.ts'
import { describeStartError } from './start-error.ts'
import { type StopSignal, signalsOf, tolerateClosedOutput, untilSignal } from './stop-signals.ts'

/** A worker that dies sooner than this after its start is replaced after a delay. */
const quickDeathMs = 5000
const replaceWaitMs = 1000

/** The message of a worker that is ready. */
export const readyMessage = 'gateway.ready'
/** The message of a worker that cannot start, with the reason. */
const faultMessage = 'gateway.cannot-start'
/** The message that stops a worker, with the signal that the primary received. */
const stopMessage = 'gateway.stop'

/** In a worker: resolves when the primary stops it. A signal from there would count as a second Ctrl-C. */
export function untilPrimaryStops(): Promise<StopSignal> {
  return new Promise((resolve) => {
    if (!cluster.isWorker) return
    process.on('message', (message: unknown) => {
      if (!isStop(message)) return
      resolve(message.signal)
    })
  })
}

interface Stop {
  type: typeof stopMessage
  signal: StopSignal
}

interface StartFault {
  type: typeof faultMessage
  reason: string
}

const isOfType = (message: unknown, type: string): boolean =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === type

const isStartFault = (message: unknown): message is StartFault => isOfType(message, faultMessage)

/** In a worker: reports why it cannot start to the primary, which prints a reason once for all workers. */
export function reportStartFault(reason: string): Promise<void> {
  const message: StartFault = { type: faultMessage, reason }
  return new Promise((resolve) => {
    cluster.worker?.send(message, () => resolve())
  })
}

const isStop = (message: unknown): message is Stop => isOfType(message, stopMessage)

export function workersOf(flags: Flags, environment: Environment): number {
  return resolveOptions(flags, environment, null).options.workers
}

/** Runs until a signal ends it; returns the exit code. */
export async function runPrimary(path: string, flags: Flags, workers: number): Promise<number> {
  const prepared = await prepare(path, flags)
  if ('refusal' in prepared) {
    process.stderr.write(`${prepared.refusal}\n`)
    return 1
  }
  const shared = serveSharedState(cluster)
  const { counters, createdKey, lock } = prepared
  const counting = counters === null ? null : serveCounters(cluster, counters.counters, reportCounters)
  let stop: Stop | null = null
  let fail: () => void = () => undefined
  const failed = new Promise<null>((resolve) => {
    fail = () => resolve(null)
  })
  const startedAt = new Map<Worker, number>()
  const ready = new Set<Worker>()
  const reasons = new Set<string>()
  const printOnce = (reason: string) => {
    if (!reasons.has(reason)) process.stderr.write(`${reason}\n`)
    reasons.add(reason)
  }
  let hasServed = false
  const start = () => {
    const worker = cluster.fork()
    startedAt.set(worker, Date.now())
    serveMetrics(worker, () => ready)
    worker.on('message', (message: unknown) => {
      if (isStartFault(message)) return printOnce(message.reason)
      if (message !== readyMessage) return
      reasons.clear()
      if (!hasServed && createdKey !== null) printKey(createdKey.text)
      hasServed = true
      ready.add(worker)
      if (stop !== null) tell(worker, stop)
    })
  }
  cluster.on('exit', async (worker) => {
    const lived = Date.now() - (startedAt.get(worker) ?? 0)
    startedAt.delete(worker)
    ready.delete(worker)
    // Before any worker is ready, the same cause (such as a port in use) would also end the next one.
    if (!hasServed) fail()
    if (stop !== null || !hasServed) return
    if (lived < quickDeathMs) await sleep(replaceWaitMs, new AbortController().signal)
    if (stop === null) start()
  })
  const signalled = untilSignal(() => everyWorker((worker) => worker.process.kill('SIGKILL')))
  for (let count = 0; count < workers; count += 1) start()
  const { reload } = signalsOf(process.platform)
  if (reload !== null) process.on(reload, () => everyWorker((worker) => worker.process.kill(reload)))
  tolerateClosedOutput()
  const signal = await Promise.race([failed, signalled])
  stop = { type: stopMessage, signal: signal ?? 'SIGINT' }
  const ended = Promise.all(
    [...startedAt.keys()].map((worker) => new Promise((resolve) => worker.once('exit', resolve))),
  )
  // A worker that is still starting would miss the message, so it gets the message when it is ready.
  for (const worker of ready) tell(worker, stop)
  await ended
  shared.close()
  counting?.close()
  await counters?.close()
  if (!hasServed) await createdKey?.discard()
  lock?.release()
  return signal === null ? 1 : 0
}

/** A worker that is already ending has closed its channel and needs no message. */
const tell = (worker: Worker, stop: Stop) => worker.send(stop, () => undefined)

const everyWorker = (act: (worker: Worker) => void) => {
  for (const worker of Object.values(cluster.workers ?? {})) if (worker !== undefined) act(worker)
}

const report = (message: string, error: unknown) =>
  void process.stderr.write(`${message}: ${faultReason(error)}\n`)

const reportCounters = (error: unknown) =>
  report('Reservations of a worker that ended were not released', error)

interface Prepared {
  lock: StoreLock | null
  /** Null if the store or Redis shares the counters. */
  counters: PrimaryCounters | null
  /** Null if an admin key already exists. */
  createdKey: CreatedAdminKey | null
}

/** Validates once before any worker starts, locks the store, and generates the admin key for the workers. */
async function prepare(path: string, flags: Flags): Promise<Prepared | { refusal: string }> {
  try {
    const { registry, settings, locate } = await loadAll({ path, environment: process.env })
    const options = chooseOptions(flags, process.env, settings.file)
    const faults = describeStoreFaults(path, { settings, locate }, { options, registry })
    if (faults.length > 0) throw new StartError(faults)
    const lock = await lockStore(storeUrlOf(options), registry.stores, process.cwd())
    const counters = await openPrimaryCounters({
      storeUrl: storeUrlOf(options),
      redisUrl: options.redisUrl,
      logsUrl: options.logsUrl,
      stores: registry.stores,
      options: {
        directory: process.cwd(),
        dataDirectory: resolve(options.dataDir),
        report,
      },
    })
    // This is the last step: a failed start must not keep a key that was never printed.
    const { created } = await openKeys(options, settings.file)
    return { lock, counters, createdKey: created }
  } catch (error) {
    const refusal = describeStartError(error)
    if (refusal === null) throw error
    return { refusal }
  }
}
