/** The parts of a gateway process that requests use, for its whole lifetime. */
import type { JsonObject, KeySets, LogEntry, RequestObserver, Sealer, Service } from '@gateway/contract'
import type { Usage } from '@gateway/contract/dialect'
import type { Logger } from 'pino'
import type { Answer } from './answer.ts'
import type { Balancer } from './balancer.ts'
import type { Breakers } from './breaker.ts'
import type { BufferBudget } from './buffer-budget.ts'
import type { Callers } from './caller.ts'
import type { Capacity } from './capacity.ts'
import type { Endpoint, ListedEndpoint } from './endpoint.ts'
import type { Ledger } from './ledger.ts'
import type { InFlight, RequestMetrics } from './metrics.ts'
import type { Ended, Received, Resolved } from './phases.ts'
import type { Settings } from './settings.ts'
import type { SingleFlight } from './single-flight.ts'
import type { Stores } from './stores.ts'
import type { MaybePromise } from './waiting.ts'

/** Notifications to service packages about requests. */
export interface ServicePorts {
  limitReached: NonNullable<Service['limitReached']>
  renderPrompt: NonNullable<Service['renderPrompt']>
  /** Compares a caller's request with its shadow. */
  shadowed: NonNullable<Service['shadowed']>
  /** Emits an event to webhooks and mail. */
  emit: NonNullable<Service['emitted']>
}

/** Stored answers, by key. */
interface AnswerStore {
  get(key: string): MaybePromise<string | undefined>
  set(key: string, value: string, ttlMs: number): Promise<unknown>
}

interface StoredNeighbour {
  id: string
  similarity: number
  /** Decrypts the answer. */
  open(): string
}

/** Stored answers, by the meaning of the question. */
export interface SemanticAnswers {
  /** The entries of a collection within the threshold, nearest first. Errors: `store_unavailable`. */
  nearest(
    collection: string,
    values: readonly number[],
    options: { minSimilarity: number; limit: number },
  ): Promise<readonly StoredNeighbour[]>
  put(answer: {
    collection: string
    id: string
    values: readonly number[]
    text: string
    ttlMs: number
    /** The limit for all collections together. */
    maxEntries: number
  }): Promise<void>
}

/** The log line of a request: with its level and time, so that it is written without a copy. */
export interface RequestLine {
  level: 'info' | 'warn'
  /** ISO 8601. */
  time: string
}

export interface Runtime {
  /** The running configuration. A reload replaces it as a whole; an exchange keeps the one it started with. */
  readonly current: { readonly settings: Settings }
  /** The endpoints of core and of the dialects. */
  readonly endpoints: readonly ListedEndpoint[]
  /** The stores of a request, unless it brings its own. */
  readonly stores: Stores
  /** Values of secret references; all cached ones are available for redacting logs. */
  readonly secrets: { texts(): string[] }
  readonly identities: Callers
  /** Public keys of token issuers. */
  readonly keySets: KeySets
  /** A workspace's configuration; synchronous when it is cached. */
  readonly workspaces: { settingsOf(workspaceId: string): MaybePromise<Settings> }
  readonly services: ServicePorts
  /** The observer of requests; null for none. */
  readonly observer: RequestObserver | null
  readonly answers: AnswerStore
  readonly semanticAnswers: SemanticAnswers
  /** Seals what callers keep for the gateway. */
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  readonly singleFlight: SingleFlight
  readonly breakers: Breakers
  /** The known limits of providers, and the requests that wait for capacity. */
  readonly capacity: Capacity
  /** The load balancer's knowledge of targets and sessions. */
  readonly balancer: Balancer
  /** The estimated usage of a request, from its body alone. */
  estimateUsage(ledger: Pick<Ledger, 'estimate'>, endpoint: Endpoint, body: JsonObject): Usage
  readonly metrics: RequestMetrics
  /** Runs the pipeline's node stages for an internal exchange, such as a check that calls a model. */
  runNode(exchange: Resolved): MaybePromise<Answer>
  /** Runs all stages, from telemetry to the last byte of the answer, for an in-process exchange. */
  runRequest(exchange: Received): MaybePromise<void>
  /** Requests that run against other configs, once their answers have gone out. */
  readonly shadows: {
    /** Starts the shadows that the request's record contains. @param entry its log entry */
    start(exchange: Ended, entry: LogEntry): void
  }
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  logRequest(line: RequestLine): void
  /** True from the signal to stop: the gateway is not ready any more, but answers until it is stopping. */
  readonly isDraining: boolean
  /** True once new connections are refused. */
  readonly isStopping: boolean
  /** The process's memory budget for bodies and answers. */
  readonly buffers: BufferBudget
  /** Requests, unfinished answers, and their deferred work. */
  readonly inFlight: InFlight
}

/** The parts of the runtime that a stage declares. It gets no others. */
export type Ports<Names extends keyof Runtime> = Pick<Runtime, Names>

/** The services that count, log and report. */
export type ReportPorts = Ports<'metrics' | 'log' | 'services' | 'inFlight'>

/** The ports of limits. */
export type LimitPorts = ReportPorts & Ports<'identities'>

/** The ports of guardrails, whose checks may call models. */
export type CheckPorts = Ports<
  'buffers' | 'keySets' | 'metrics' | 'log' | 'inFlight' | 'breakers' | 'runNode' | 'secrets'
>

/** The ports that tell which targets can be called now. */
export type RoomPorts = Ports<'capacity' | 'breakers' | 'estimateUsage'>

/** The ports that choose a target. */
export type RoutingPorts = RoomPorts & Ports<'balancer'>

/** The ports that find callers and their workspaces. */
export type CallerPorts = Ports<'identities' | 'workspaces'>
