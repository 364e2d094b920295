/**
 * `--workers N`: a primary that opens no port of its own. It starts workers, replaces one that dies, passes signals on,
 * holds what they share (unless Redis does), and adds their metrics up.
 */
import cluster, { type Worker } from 'node:cluster'
import process from 'node:process'
import { AggregatorRegistry, type Registry as MetricsRegistry } from 'prom-client'
import type { Environment } from './config/environment.ts'
import { type Flags, resolveOptions } from './config/options.ts'
import { chooseOptions, describeFaults, loadPackages, openKeys, StartError } from './gateway.ts'
import { printKey } from './print-key.ts'
import { loadSettings } from './settings.ts'
import { sleep } from './sleep.ts'
import { serveSharedState } from './state/cluster.ts'

/** A worker that dies sooner than this after its start is replaced with a wait. */
const quickDeathMs = 5000
const replaceWaitMs = 1000
const metricsTimeoutMs = 5000

interface MetricsQuestion {
  gatewayMetrics: 'ask'
  id: number
}

interface MetricsAnswer {
  gatewayMetrics: 'answer'
  id: number
  text: string
  contentType: string
}

export function workersOf(flags: Flags, environment: Environment): number {
  return resolveOptions(flags, environment, null).options.workers
}

/** Runs until a signal ends it; gives the exit code. */
export async function runPrimary(path: string, flags: Flags, workers: number): Promise<number> {
  const refusal = await prepare(path, flags)
  if (refusal !== null) {
    process.stderr.write(`${refusal}\n`)
    return 1
  }
  const shared = serveSharedState(cluster)
  const metrics = new AggregatorRegistry()
  let isStopping = false
  const startedAt = new Map<Worker, number>()
  const start = () => {
    const worker = cluster.fork()
    startedAt.set(worker, Date.now())
    worker.on('message', (message: unknown) => void answerMetrics(metrics, worker, message))
  }
  cluster.on('exit', async (worker) => {
    const lived = Date.now() - (startedAt.get(worker) ?? 0)
    startedAt.delete(worker)
    if (isStopping) return
    if (lived < quickDeathMs) await sleep(replaceWaitMs, new AbortController().signal)
    if (!isStopping) start()
  })
  for (let count = 0; count < workers; count += 1) start()
  process.on('SIGHUP', () => everyWorker((worker) => worker.process.kill('SIGHUP')))
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
  isStopping = true
  const ended = Promise.all(
    [...startedAt.keys()].map((worker) => new Promise((resolve) => worker.once('exit', resolve))),
  )
  everyWorker((worker) => worker.process.kill('SIGTERM'))
  await ended
  shared.close()
  return 0
}

const everyWorker = (act: (worker: Worker) => void) => {
  for (const worker of Object.values(cluster.workers ?? {})) if (worker !== undefined) act(worker)
}

/** Looks for faults once, before any worker would; makes the admin key, which the workers then find. */
async function prepare(path: string, flags: Flags): Promise<string | null> {
  try {
    const registry = await loadPackages(path, process.env)
    const { settings, faults } = await loadSettings({ path, environment: process.env, registry })
    if (settings === null) return describeFaults(path, faults).join('\n')
    await openKeys(chooseOptions(flags, process.env, settings.file), settings.file, printKey)
    return null
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
}

async function answerMetrics(
  metrics: InstanceType<typeof AggregatorRegistry>,
  worker: Worker,
  message: unknown,
): Promise<void> {
  if (!isMetrics(message, 'ask')) return
  const text = await metrics.clusterMetrics()
  const answer: MetricsAnswer = {
    gatewayMetrics: 'answer',
    id: message.id,
    text,
    contentType: metrics.contentType,
  }
  if (worker.isConnected()) worker.send(answer)
}

let lastQuestion = 0

/** In a worker: its metrics join those of the others, and are asked of the primary together. */
export function joinMetrics(registry: MetricsRegistry): () => Promise<{ text: string; contentType: string }> {
  AggregatorRegistry.setRegistries([registry])
  // Its construction is what makes a worker answer the primary.
  void new AggregatorRegistry()
  return askPrimary
}

function askPrimary(): Promise<{ text: string; contentType: string }> {
  lastQuestion += 1
  const question: MetricsQuestion = { gatewayMetrics: 'ask', id: lastQuestion }
  return new Promise((resolve, reject) => {
    const done = (act: () => void) => {
      clearTimeout(timer)
      process.off('message', listen)
      act()
    }
    const listen = (message: unknown) => {
      if (isMetrics(message, 'answer') && message.id === question.id) done(() => resolve(message))
    }
    const timer = setTimeout(
      () => done(() => reject(new Error('the primary did not answer'))),
      metricsTimeoutMs,
    )
    process.on('message', listen)
    process.send?.(question)
  })
}

function isMetrics(message: unknown, kind: 'ask'): message is MetricsQuestion
function isMetrics(message: unknown, kind: 'answer'): message is MetricsAnswer
function isMetrics(message: unknown, kind: string): boolean {
  return (
    typeof message === 'object' &&
    message !== null &&
    'gatewayMetrics' in message &&
    message.gatewayMetrics === kind
  )
}
