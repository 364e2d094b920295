/** The job for the load generator, and its result. */

export interface LoadJob {
  port: number
  path: string
  headers: Readonly<Record<string, string>>
  /** The body; {@link COUNTER} in it, or in a header, becomes a number unique to each request. */
  body: string
  /** With {@link ratePerS}: the most. */
  connections: number
  /** Requests are sent at this rate, however long their answers take; absent: each connection sends its next one at once. */
  ratePerS?: number
  /** The counter begins again at 0 there; absent: never. */
  counterBelow?: number
  /** Ends after so many requests … */
  requests: number
  /** … or so many milliseconds, whichever is first. */
  limitMs: number
  /** Opens the connections evenly over this time; 0: at once. */
  rampMs: number
  expect: Expectation
}

/** The condition for a complete answer. Its status must be 200 in every case. */
export interface Expectation {
  /** `json`: the declared length, closed by a brace. `stream`: every event, and `[DONE]` at the end. */
  kind: 'json' | 'stream' | 'timed-stream'
  /** Events before `[DONE]`; 0 for `json`. */
  events: number
  /** Text, in lower case, that the head of every answer must hold; empty: none. */
  head: string
  /** Text that the body of the first answer must hold. */
  firstBody: string
}

/** Twelve characters, replaced by twelve digits. */
export const COUNTER = '#counter####'

export interface Quantiles {
  p50: number
  p99: number
}

export interface LoadResult {
  completed: number
  failed: number
  /** The reason of the first failure; empty if all succeeded. */
  firstFailure: string
  elapsedMs: number
  /** From writing the request, or from when it was due and no connection was free, to the last byte of the answer. */
  latencyMs: Quantiles
  /** The time from writing the request to the first event; NaN for `json`. */
  firstEventMs: Quantiles
  /** Processor time of the load generator itself. */
  cpuMs: number
  /** The result of a `timed-stream`; otherwise null. */
  timed: TimedResult | null
}

export interface TimedResult {
  /** The time from the mock's write to the arrival here, over all events. */
  delayMs: Quantiles
  events: number
  lost: number
  reordered: number
  /** The most streams that were open at the same time. */
  atOnce: number
}
