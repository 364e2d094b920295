/**
 * Collects, over all streams of a job, how long each numbered event was under way, and whether one was
 * lost or came out of order. Events carry `SEQUENCE SENT_AT_NS` as the text of their delta.
 */
import { quantile } from '../statistics.ts'
import type { TimedResult } from './job.ts'

const CONTENT = '"content":"'
const NS_PER_MS = 1e6

export class StreamTimes {
  readonly #eventsPerStream: number
  readonly #delaysMs: Float64Array
  #events = 0
  #lost = 0
  #reordered = 0
  #open = 0
  #atOnce = 0

  constructor(eventsPerStream: number, streams: number) {
    this.#eventsPerStream = eventsPerStream
    this.#delaysMs = new Float64Array(eventsPerStream * streams)
  }

  open(): TimedStream {
    this.#open += 1
    this.#atOnce = Math.max(this.#atOnce, this.#open)
    return new TimedStream(this)
  }

  close(received: number): void {
    this.#open -= 1
    this.#lost += Math.max(0, this.#eventsPerStream - received)
  }

  /** `highest` is the highest number that came before in the same stream. */
  record(sequence: number, sentAtNs: number, highest: number): void {
    if (this.#events < this.#delaysMs.length) {
      this.#delaysMs[this.#events] = (Number(process.hrtime.bigint()) - sentAtNs) / NS_PER_MS
    }
    this.#events += 1
    if (sequence <= highest) this.#reordered += 1
  }

  result(): TimedResult {
    const sorted = this.#delaysMs.subarray(0, this.#events).sort()
    return {
      delayMs: { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) },
      events: this.#events,
      lost: this.#lost,
      reordered: this.#reordered,
      atOnce: this.#atOnce,
    }
  }
}

/** One stream: splits its lines and reads the number and the time in each event. */
class TimedStream {
  readonly #times: StreamTimes
  #line = ''
  #received = 0
  #highest = -1

  constructor(times: StreamTimes) {
    this.#times = times
  }

  feed(text: string): void {
    const lines = (this.#line + text).split('\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) this.#readLine(line)
  }

  end(): void {
    this.#times.close(this.#received)
  }

  #readLine(line: string): void {
    const mark = line.indexOf(CONTENT)
    if (mark < 0) return
    const start = mark + CONTENT.length
    const content = line.slice(start, line.indexOf('"', start))
    const [sequence, sentAtNs] = content.split(' ').map(Number)
    if (sequence === undefined || sentAtNs === undefined) return
    this.#times.record(sequence, sentAtNs, this.#highest)
    this.#received += 1
    this.#highest = Math.max(this.#highest, sequence)
  }
}

export type { TimedStream }
