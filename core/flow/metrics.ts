/** Metrics as the code that counts sees them. */
import type { AttemptReport } from './attempt-report.ts'

interface Counter<Label extends string = never> {
  inc(labels: Readonly<Record<Label, string | number>>, value?: number): void
}

interface Histogram<Label extends string> {
  observe(labels: Readonly<Record<Label, string | number>>, value: number): void
}

/** What a provider reported of a request. */
export interface TokenReport {
  provider: string
  /** Null for one whose price is not known: anybody can make up names. */
  model: string | null
  prompt: number
  completion: number
}

/** What requests count. Units: seconds, tokens. */
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
  /** Tries of targets, by provider, stored credential and what they came to. */
  attempts: { record(attempt: AttemptReport): void }
  retries: Counter<'provider'>
  hedges: Counter<'outcome'>
  checkSeconds: Histogram<'check'>
  checkErrors: Counter<'check'>
  limits: Counter<'kind' | 'event'>
  denials: Counter<'phase'>
}

/** Work that a stopping gateway waits for. */
export interface InFlight {
  readonly count: number
  /** Counts one piece of work, until the function given back is called. */
  begin(): () => void
  /** The same for a request that is being answered. */
  beginRequest(): () => void
}
