/** What one gateway process holds for as long as it lives, as far as requests use it. */
import type { KeySets, LogEntry, Ports, RequestObserver, Service } from '@gateway/contract'
import type { Logger } from 'pino'
import type { BufferBudget } from '../shared/buffer-budget.ts'
import type { Balancer } from './balancer.ts'
import type { Breakers } from './breaker.ts'
import type { Callers } from './caller.ts'
import type { InFlight, RequestMetrics } from './metrics.ts'
import type { ResponseStore } from './response-store.ts'
import type { Settings } from './settings.ts'
import type { SingleFlight } from './single-flight.ts'

/** What service packages are told of requests. */
export interface ServicePorts {
  limitReached: NonNullable<Service['limitReached']>
  renderPrompt: NonNullable<Service['renderPrompt']>
  /** Hands an event to webhooks and mail. */
  emit: NonNullable<Service['emitted']>
}

/** Stored answers, by key. */
interface AnswerStore {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, ttlMs: number): Promise<unknown>
}

/** Stored answers, by the meaning of what was asked. */
export interface SemanticAnswers {
  /** The nearest one of a collection that is near enough. Errors: `store_unavailable`. */
  nearest(
    collection: string,
    values: readonly number[],
    minSimilarity: number,
  ): Promise<{ id: string; similarity: number; text: string } | null>
  put(answer: {
    collection: string
    id: string
    values: readonly number[]
    text: string
    ttlMs: number
    /** Of all collections. */
    maxEntries: number
  }): Promise<void>
}

export interface Runtime {
  /** The running configuration. Replaced whole by a reload; an exchange keeps the one that it began with. */
  readonly current: { readonly settings: Settings }
  readonly store: Pick<Ports, 'counters'>
  /** What secret references stand for: every text at hand, for taking it out of what is logged. */
  readonly secrets: { texts(): string[] }
  readonly identities: Callers
  /** Public keys of token issuers. */
  readonly keySets: KeySets
  /** A workspace's configuration; at once where it is known. */
  readonly workspaces: { settingsOf(workspaceId: string): Promise<Settings> }
  readonly services: ServicePorts
  /** Who hears of every request; null for nobody. */
  readonly observer: RequestObserver | null
  readonly answers: AnswerStore
  readonly semanticAnswers: SemanticAnswers
  readonly responses: ResponseStore
  readonly singleFlight: SingleFlight
  readonly breakers: Breakers
  /** What load balancing knows of targets and sessions. */
  readonly balancer: Balancer
  readonly metrics: RequestMetrics
  /**
   * Runs the node list of the pipeline for an `Exchange` of the gateway's own, such as a check that asks a model.
   * (Named here it would be a cycle: an exchange holds its runtime.)
   */
  runNode(exchange: object): Promise<void>
  /** Runs every stage for an `Exchange` that came over no connection, from telemetry to its answer. */
  runRequest(exchange: object): Promise<void>
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  /** Takes what is kept of each request. */
  readonly logs: { add(entry: LogEntry): void; addLater(entry: LogEntry, complete: Promise<LogEntry>): void }
  /** The one line of a request. */
  logRequest(record: object): void
  /** True from the signal to stop. */
  readonly isDraining: boolean
  /** What this process may hold in memory of bodies and answers. */
  readonly buffers: BufferBudget
  /** Requests, answers not sent to their last byte, and what runs behind them. */
  readonly inFlight: InFlight
}
