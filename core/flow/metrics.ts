/** The metrics interface. */
import type { AttemptReport } from './attempt-report.ts'

interface Counter<Label extends string = never> {
  inc(labels: Readonly<Record<Label, string | number>>, value?: number): void
}

interface Histogram<Label extends string> {
  observe(labels: Readonly<Record<Label, string | number>>, value: number): void
}

/** Usage reported by a provider for a request. */
export interface TokenReport {
  provider: string
  /** Null for a model without a known price, because callers can send arbitrary names. */
  model: string | null
  prompt: number
  completion: number
}

/** Metrics of requests. Units: seconds, tokens. */
export interface RequestMetrics {
  requests: Counter<'endpoint' | 'provider' | 'status'>
  requestSeconds: Histogram<'endpoint'>
  firstByteSeconds: Histogram<'endpoint'>
  errors: Counter<'code'>
  tokens: { record(report: TokenReport): void }
  /** US cents. */
  cost: Counter<'provider'>
  overheadSeconds: Histogram<never>
  upstreamSeconds: Histogram<'provider'>
  cache: Counter<'status'>
  cacheErrors: Counter<'operation'>
  /** Attempts at targets, by provider, stored credential and result. */
  attempts: { record(attempt: AttemptReport): void }
  retries: Counter<'provider'>
  hedges: Counter<'outcome'>
  queueWaitSeconds: Histogram<'outcome'>
  shadows: Counter<'outcome'>
  checkSeconds: Histogram<'check'>
  checkErrors: Counter<'check'>
  limits: Counter<'kind' | 'event'>
  denials: Counter<'phase'>
}

/** Work that a stopping gateway waits for. */
export interface InFlight {
  readonly count: number
  /** Requests that are being answered, including those of services. */
  readonly requests: number
  /** The number of these that call a model. */
  readonly inference: number
  /** Counts one unit of work until it ends. Each begin needs one end. */
  begin(kind?: InFlightKind): void
  end(kind?: InFlightKind): void
}

/**
 * `request`: a request that is being answered. `inference`: a counted request that calls a model. Other work is the
 * default.
 */
export type InFlightKind = 'work' | 'request' | 'inference'
