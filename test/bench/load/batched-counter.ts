/**
 * Counts a job's results, and the requests that may still be sent. After {@link MAX_FAILURES} failures no more are
 * sent: a broken server ends the job.
 */
import { quantile } from '../statistics.ts'
import type { LoadJob, LoadResult, Quantiles } from './job.ts'
import { StreamTimes } from './stream-times.ts'

const MAX_FAILURES = 20

export class BatchedCounter {
  readonly times: StreamTimes | null
  readonly #job: LoadJob
  readonly #latenciesMs: Float64Array
  readonly #firstEventsMs: Float64Array
  readonly #startedAt = performance.now()
  readonly #cpuAtStart = process.cpuUsage()
  #taken = 0
  #completed = 0
  #failed = 0
  #firstFailure = ''
  #endedAt = this.#startedAt

  constructor(job: LoadJob) {
    this.#job = job
    this.#latenciesMs = new Float64Array(job.requests)
    this.#firstEventsMs = new Float64Array(job.requests)
    this.times = job.expect.kind === 'timed-stream' ? new StreamTimes(job.expect.events, job.requests) : null
  }

  /** Whether one more request may be sent; counts it. */
  take(): boolean {
    if (this.#taken >= this.#job.requests || this.#failed >= MAX_FAILURES) return false
    if (performance.now() - this.#startedAt > this.#job.limitMs) return false
    this.#taken += 1
    return true
  }

  /** Whether the request taken last was the job's first. */
  isFirst(): boolean {
    return this.#taken === 1
  }

  completed(latencyMs: number, firstEventMs: number): void {
    this.#latenciesMs[this.#completed] = latencyMs
    this.#firstEventsMs[this.#completed] = firstEventMs
    this.#completed += 1
    this.#endedAt = performance.now()
  }

  failed(reason: string): void {
    if (this.#failed === 0) this.#firstFailure = reason
    this.#failed += 1
    this.#endedAt = performance.now()
  }

  result(): LoadResult {
    const cpu = process.cpuUsage(this.#cpuAtStart)
    const streamed = this.#job.expect.kind !== 'json'
    return {
      completed: this.#completed,
      failed: this.#failed,
      firstFailure: this.#firstFailure,
      elapsedMs: this.#endedAt - this.#startedAt,
      latencyMs: this.#quantiles(this.#latenciesMs, this.#completed),
      firstEventMs: this.#quantiles(this.#firstEventsMs, streamed ? this.#completed : 0),
      cpuMs: (cpu.user + cpu.system) / 1000,
      timed: this.times?.result() ?? null,
    }
  }

  #quantiles(values: Float64Array, count: number): Quantiles {
    const sorted = values.subarray(0, count).sort()
    return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
  }
}
