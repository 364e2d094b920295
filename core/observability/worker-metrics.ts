/**
 * Merges the metrics of all workers. A scraped worker asks the primary, which collects from all workers and adds them
 * up. Workers that do not answer in time are left out, so a scrape never fails.
 */
import type { Worker } from 'node:cluster'
import process from 'node:process'
import { AggregatorRegistry, type MetricObject, type Registry } from 'prom-client'
import { type MetricsText, metricsText } from './metrics.ts'

const workerDeadlineMs = 1000
const primaryDeadlineMs = 3000

/**
 * A message between a worker and the primary. A worker asks the primary, which collects from every worker and answers.
 */
interface Message {
  gatewayMetrics: 'ask' | 'collect' | 'part' | 'answer'
  /** The number of the request, assigned by the sender. */
  id: number
  /** The metrics of one worker. */
  metrics?: MetricObject[]
  /** The text of an answer. */
  text?: string
  contentType?: string
}

type Kind = Message['gatewayMetrics']

let lastId = 0

/** Answers a worker's requests, in the primary. */
export function serveMetrics(worker: Worker, workers: () => Iterable<Worker>): void {
  worker.on('message', async (message: unknown) => {
    if (!isMessage(message, 'ask')) return
    const parts = await Promise.all([...workers()].map(collectFrom))
    const all = AggregatorRegistry.aggregate(parts.filter((part) => part !== null))
    tell(worker, { gatewayMetrics: 'answer', id: message.id, ...(await metricsText(all)) })
  })
}

/** Null if the worker does not answer. */
function collectFrom(worker: Worker): Promise<MetricObject[] | null> {
  lastId += 1
  const id = lastId
  return new Promise((resolve) => {
    const done = (part: MetricObject[] | null) => {
      clearTimeout(timer)
      worker.off('message', listen)
      worker.off('exit', leave)
      resolve(part)
    }
    const listen = (message: unknown) => {
      if (isMessage(message, 'part') && message.id === id) done(message.metrics ?? null)
    }
    const leave = () => done(null)
    const timer = setTimeout(leave, workerDeadlineMs)
    worker.on('message', listen)
    worker.once('exit', leave)
    tell(worker, { gatewayMetrics: 'collect', id })
  })
}

/** Sends to a worker. An exiting worker may miss it. */
function tell(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.process.send?.(message, undefined, undefined, () => undefined)
}

/** In a worker, sends its metrics to the primary, and requests the merged metrics from it. */
export function joinMetrics(registry: Registry): () => Promise<MetricsText> {
  process.on('message', async (message: unknown) => {
    if (!isMessage(message, 'collect')) return
    const metrics = await registry.getMetricsAsJSON()
    process.send?.({ gatewayMetrics: 'part', id: message.id, metrics } satisfies Message)
  })
  return askPrimary
}

function askPrimary(): Promise<MetricsText> {
  lastId += 1
  const id = lastId
  return new Promise((resolve, reject) => {
    const done = (act: () => void) => {
      clearTimeout(timer)
      process.off('message', listen)
      act()
    }
    const listen = (message: unknown) => {
      if (!isMessage(message, 'answer') || message.id !== id) return
      const { text = '', contentType = '' } = message
      done(() => resolve({ text, contentType }))
    }
    const late = () => done(() => reject(new Error('the primary did not answer')))
    const timer = setTimeout(late, primaryDeadlineMs)
    process.on('message', listen)
    process.send?.({ gatewayMetrics: 'ask', id } satisfies Message)
  })
}

function isMessage(message: unknown, kind: Kind): message is Message {
  return (
    typeof message === 'object' &&
    message !== null &&
    'gatewayMetrics' in message &&
    message.gatewayMetrics === kind
  )
}
