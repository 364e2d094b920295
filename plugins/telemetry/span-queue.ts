/**
 * The way of traces to the collector: a bounded queue behind the requests, exported in batches, one at a time. Requests are
 * made into spans when their batch goes out. What finds the queue full, or no collector, is dropped and counted.
 */
import type { ObservedRequest } from '@gateway/contract'
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { Resource } from '@opentelemetry/resources'
import { spanCount, spansOf } from './spans.ts'

const maxSpans = 2048
const batchSpans = 512
/** Of one export with its retries. */
const timeoutMs = 10_000
const closingMs = 3000

export interface SpanQueueOptions {
  url: string
  headers: Readonly<Record<string, string>>
  resource: Resource
  intervalMs: number
  dropped(count: number, reason: string): void
}

/** A request, and its spans when it was added. */
interface Waiting {
  request: ObservedRequest
  count: number
}

interface SpanQueue {
  add(request: ObservedRequest): void
  close(): Promise<void>
}

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { url, resource, intervalMs } = options
  const exporter = new OTLPTraceExporter({ url, headers: { ...options.headers }, timeoutMillis: timeoutMs })
  let waiting: Waiting[] = []
  let size = 0
  let overflow = 0
  let exporting: Promise<void> | null = null
  const timer = setInterval(flush, intervalMs)
  timer.unref()

  function add(request: ObservedRequest): void {
    const count = spanCount(request)
    if (size + count > maxSpans) {
      overflow += count
      return
    }
    waiting.push({ request, count })
    size += count
    if (size >= batchSpans && exporting === null) flush()
  }

  function flush(): void {
    if (overflow > 0) {
      options.dropped(overflow, 'the queue was full')
      overflow = 0
    }
    if (exporting !== null || waiting.length === 0) return
    exporting = exportAll().finally(() => {
      exporting = null
    })
  }

  /** Until less than a batch is left. */
  async function exportAll(): Promise<void> {
    do await exportBatch()
    while (size >= batchSpans)
  }

  async function exportBatch(): Promise<void> {
    const batch: ObservedRequest[] = []
    let count = 0
    for (const each of waiting) {
      if (count >= batchSpans) break
      batch.push(each.request)
      count += each.count
    }
    waiting = waiting.slice(batch.length)
    const reason = await send(batch)
    size -= count
    if (reason !== null) options.dropped(count, reason)
  }

  /** Null, or why the collector did not take it. */
  function send(batch: readonly ObservedRequest[]): Promise<string | null> {
    const spans = batch.flatMap((request) => spansOf(request, resource))
    return new Promise((resolve) => {
      exporter.export(spans, ({ code, error }) => {
        resolve(code === ExportResultCode.SUCCESS ? null : (error?.message ?? 'the export failed'))
      })
    })
  }

  async function drain(): Promise<void> {
    while (exporting !== null || waiting.length > 0) {
      flush()
      await exporting
    }
  }

  return {
    add,
    async close() {
      clearInterval(timer)
      let late: NodeJS.Timeout | undefined
      const deadline = new Promise<void>((resolve) => {
        late = setTimeout(resolve, closingMs)
      })
      await Promise.race([drain(), deadline])
      clearTimeout(late)
      if (size > 0) options.dropped(size, 'the gateway stopped')
      await exporter.shutdown()
    },
  }
}
