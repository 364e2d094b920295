/**
 * Exports traces to the collector: a bounded queue, exported in batches, one at a time. Spans are dropped and counted
 * when the queue is full or the collector is unavailable.
 */
import type { ObservedRequest } from '@gateway/contract'
import { batchHead, createSpanBatch, type SpanBatch } from './span-batch.ts'
import { spanCount } from './span-bytes.ts'
import { createSpanExporter } from './span-exporter.ts'

/** Including those that are being exported. */
const maxSpans = 2048
const batchSpans = 512
const timeoutMs = 10_000
const closingMs = 3000
/** A batch with captured content may be larger; its memory is not reused. */
const maxKeptBytes = 4 * 1_048_576

export interface SpanQueueOptions {
  url: string
  headers: Readonly<Record<string, string>>
  resource: Readonly<Record<string, string>>
  intervalMs: number
  /** Adds the requests that are still to be recorded; called at each interval. */
  catchUp(): void
  dropped(count: number, reason: string): void
}

interface SpanQueue {
  add(request: ObservedRequest): void
  close(): Promise<void>
}

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { url, headers, resource, intervalMs } = options
  const exporter = createSpanExporter({ url, headers, timeoutMs })
  const head = batchHead(resource)
  let used: Buffer | null = null
  let filling: SpanBatch | null = null
  const full: SpanBatch[] = []
  let size = 0
  let overflow = 0
  let exporting: Promise<void> | null = null
  const timer = setInterval(() => {
    options.catchUp()
    flush()
  }, intervalMs)
  timer.unref()

  function add(request: ObservedRequest): void {
    const count = spanCount(request)
    if (size + count > maxSpans) {
      overflow += count
      return
    }
    size += count
    filling ??= begin()
    filling.add(request)
    if (filling.count < batchSpans) return
    full.push(filling)
    filling = null
    if (exporting === null) flush()
  }

  function begin(): SpanBatch {
    const batch = createSpanBatch(head, used)
    used = null
    return batch
  }

  function flush(): void {
    if (overflow > 0) {
      options.dropped(overflow, 'the queue was full')
      overflow = 0
    }
    if (exporting !== null) return
    if (full.length === 0 && filling !== null) {
      full.push(filling)
      filling = null
    }
    if (full.length === 0) return
    exporting = exportFull().finally(() => {
      exporting = null
    })
  }

  async function exportFull(): Promise<void> {
    for (let batch = full.shift(); batch !== undefined; batch = full.shift()) await exportBatch(batch)
  }

  async function exportBatch({ body, count }: SpanBatch): Promise<void> {
    const bytes = body()
    const reason = await exporter.send({ body: bytes, count })
    size -= count
    if (reason !== null) options.dropped(count, reason)
    else if (bytes.buffer.byteLength <= maxKeptBytes) used = bytes
  }

  async function drain(): Promise<void> {
    while (exporting !== null || size > 0) {
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
      await exporter.close()
    },
  }
}
