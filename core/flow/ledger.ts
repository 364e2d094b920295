/**
 * The costs of one request so far (all attempts at targets, their usage, and rate limit readings), and work deferred
 * until after the answer. All forks of an exchange share one ledger. Limits are settled from it when the answer has
 * ended.
 */
import type {
  InferencePrompt,
  Json,
  JsonObject,
  LogFields,
  Phase,
  RequestTrace,
  ServiceCallRecord,
} from '@gateway/contract'
import type { StreamFraming, Usage } from '@gateway/contract/dialect'
import type { AttemptReport } from './attempt-report.ts'
import { type Cancellation, hasLost } from './cancellation.ts'
import type { Hold } from './capacity.ts'
import type { ResolvedTarget, Shadow } from './config-node.ts'
import type { Cost } from './cost.ts'
import type { Endpoint } from './endpoint.ts'
import type { HookResult } from './hook-result.ts'
import type { CompiledLimit } from './limits.ts'

/** One attempt at a target. */
export interface Attempt {
  readonly target: ResolvedTarget
  readonly endpoint: Endpoint
  /** The body sent to the target. */
  readonly body: JsonObject
  /** Cancels the call. */
  readonly leaving: Cancellation
  /** The body in the target's format; written by the call. */
  wire: JsonObject | null
  /** The body as it was written to JSON, for the log and a retry; null if another text was sent. Written by the call. */
  text: string | null
  /** `performance.now()` when it was sent, and when its answer began or failed. Written by `call`. */
  readonly startedAt: number
  endedAt: number
  /** The model reported in the answer; written by `call`. */
  answeredModel: string | null
  /** Usage reported by the provider; written by `call`, for streams while they arrive. */
  usage: Usage | null
  /**
   * The provider's answer: nothing billable, a whole answer, or a stream; `aborted` when it lost a hedge before its
   * end. Written by `call`, and by hedging.
   */
  outcome: 'nothing' | 'whole' | 'stream' | 'aborted'
  /** Span id; null when the request has no trace. */
  readonly spanId: string | null
}

/** The attempt behind the answer: the last one, not counting calls that lost a hedge. */
export const lastAttempt = ({ attempts }: Pick<Ledger, 'attempts'>): Attempt | undefined =>
  attempts.findLast((attempt) => !hasLost(attempt))

/** A rate limit's last reading. */
export interface RateReading {
  limit: CompiledLimit
  used: number
  reserved: number
}

/** The part of a stream that was sent. */
export interface SentText {
  push(bytes: Buffer): void
  /** UTF-8 bytes of the text, reasoning and arguments in the sent deltas. */
  textBytes(): number
  /** The first and the last data sent. */
  ends(): Buffer[]
}

/** Usage and cost of attempts. */
export interface UsageCost {
  usage: Usage
  cost: Cost
  /** Whether part of the usage is estimated. */
  isEstimate: boolean
}

/** A list with one more item. An empty list that grows by `push` reserves room for 17. */
export const appended = <T>(list: readonly T[], item: T): readonly T[] =>
  list.length === 0 ? [item] : [...list, item]

export interface Ledger {
  attempts: readonly Attempt[]
  /** The decisions, in order. */
  decisions: Decision[]
  /** Whether the answer includes them. */
  isExplained: boolean
  /** Extra calls of hedging. */
  hedges: number
  /** Room kept for the request since it left the queue, or null. Written by `queue` and `capacity`. */
  hold: Hold | null
  /** Milliseconds in the queue, which count towards `request_timeout`. Written by `queue`. */
  queuedMs: number
  /** Milliseconds of waits before retries: neither a target's time nor the gateway's. */
  waitedMs: number
  /** Null when traces are off. Written by `telemetry`. */
  trace: RequestTrace | null
  /** Results of attempts, including those refused before the call. */
  attemptReports: readonly AttemptReport[]
  /** The rates of the request and of the last attempted target. */
  requestRates: readonly RateReading[]
  targetRates: readonly RateReading[]
  /** The target's prompt that ran last, or null. Written by `prompt`. */
  prompt: InferencePrompt | null
  /** The sent part of a stream; written by `respond`. */
  sent: SentText | null
  /** The estimate for the last body. */
  estimate: { body: JsonObject; usage: Usage } | null
  /** The reported usage and cost of the last attempt. */
  usageCost: { of: Attempt; usage: Usage; cost: UsageCost } | null
  /** Work deferred until after the last byte: async hooks add to it, `telemetry` starts it. */
  deferred: DeferredWork
}

/** @param deferred that of the request that this one replaces */
export const createLedger = (deferred: DeferredWork = new Deferred()): Ledger => ({
  attempts: noAttempts,
  decisions: [],
  isExplained: false,
  hedges: 0,
  hold: null,
  queuedMs: 0,
  waitedMs: 0,
  trace: null,
  attemptReports: noReports,
  requestRates: none,
  targetRates: none,
  prompt: null,
  sent: null,
  estimate: null,
  usageCost: null,
  deferred,
})

const none: readonly RateReading[] = []
const noAttempts: readonly Attempt[] = []
const noReports: readonly AttemptReport[] = []

/** The result of an async hook. */
export interface LateHook {
  phase: Phase
  result: HookResult
}

/** A hook returns its result, null when it failed; other work returns nothing. */
type Work = () => Promise<LateHook | null> | undefined

/** Work deferred until after the last byte of an answer, so that it can neither delay nor change it. */
export interface DeferredWork {
  /** Adds work to run when the answer has ended; runs it immediately if it has already ended. */
  add(work: Work): void
  /** Call when the answer has ended. Returns the hooks that run now. */
  begin(): Promise<LateHook | null>[]
}

const noWork: readonly Work[] = []
const noHooks: Promise<LateHook | null>[] = []
const isHook = (started: Promise<LateHook | null> | undefined) => started !== undefined

/** A class, because every request creates one. */
class Deferred implements DeferredWork {
  private waiting: readonly Work[] | null = noWork

  add(work: Work): void {
    if (this.waiting === null) void work()
    else this.waiting = appended(this.waiting, work)
  }

  begin(): Promise<LateHook | null>[] {
    const works = this.waiting ?? noWork
    this.waiting = null
    const started = works.map((work) => work())
    return started.some(isHook) ? started.filter(isHook) : noHooks
  }
}

/**
 * The decision trace: the gateway's decisions about a request, in order (contract section 8). It is part of the log
 * entry and, with `x-gateway-explain`, of the answer. It contains no content, host, header value or credential.
 */
interface Decision {
  step:
    | 'config'
    | 'limit'
    | 'guardrail'
    | 'cache'
    | 'condition'
    | 'pick'
    | 'translate'
    | 'call'
    | 'retry'
    | 'fallback'
    | 'breaker'
    | 'capacity'
    | 'queue'
    | 'end'
  /** Path of the config node; null before one is selected. */
  path: string | null
  /** Milliseconds since the request arrived. */
  at_ms: number
  /** Data of the step: see the table in the contract. */
  [field: string]: unknown
}

/** Bounds the trace for configs with many retries of many targets. */
const most = 200

/** The part of an exchange that a decision needs. */
interface Deciding {
  readonly request: { readonly startedAt: number; readonly ledger: { readonly decisions: Decision[] } }
  /** The config node; absent before the config is resolved. */
  readonly node?: { readonly path: string } | null
}

/** The path of the config node that decides. */
export const nodePath = ({ node }: Deciding): string | null => node?.path ?? null

/** Milliseconds since the request arrived, rounded. */
export const elapsedMs = ({ request }: Deciding): number => Math.round(performance.now() - request.startedAt)

/**
 * Records a decision. The caller writes it as one literal: a spread would copy it, and members that grow one by one
 * take twice the memory.
 */
export function recordDecision({ request: { ledger } }: Deciding, decision: Decision): void {
  if (ledger.decisions.length < most) ledger.decisions.push(decision)
}

/** The sent part of a stream. */
export interface SentStream {
  add(bytes: Buffer): void
  /** Returns the sent part in the form in which it is logged. */
  read(): Json
}

/** A request that a shadow's sample contains. */
export interface ShadowDraw {
  shadow: Shadow
  /** After the mutators of the node, without its `override_params`. */
  body: JsonObject
}

/** Data of a request for the log in addition to its exchange: written by stages, shared by all forks. */
export interface RequestRecord {
  /** The original body; written by `parse`. */
  asked: JsonObject | null
  /** The body after the last input hook that changed it; null if no hook changed it. Written by `guardrails-in`. */
  changed: JsonObject | null
  /** The answer before output hooks changed it; null if no hook changed it. Written by output checks. */
  original: JsonObject | null
  /** Written by `respond`. */
  head: { status: number; headers: Readonly<Record<string, string>> } | null
  /** Written by `respond`; null until it is sent. */
  sentStatus: number | null
  /** Milliseconds from arrival to the first byte sent; written by `respond`. */
  firstByteMs: number | null
  /** The code of the error event that ended the stream; written by `respond`. */
  streamError: string | null
  /** The sent part of a stream, up to a limit; null when bodies are not logged. Written by `respond`. */
  sent: SentStream | null
  /** How events are written, if not as server-sent events; written by the route of a dialect. */
  framing: StreamFraming | null
  /** For a cache hit: the cost of the stored answer in cents, if known. Written by `cache`. */
  savedCost: (() => number | null) | null
  /** Requests that also run against other configs after the answer has been sent, or null. Written by `shadow`. */
  shadows: readonly ShadowDraw[] | null
  /**
   * Hash of the session by which a rollout chose the config's version; null without a rollout. Written by `resolve`.
   */
  session: string | null
  /** State of checks between the phases, by plugin; null until a check uses it. */
  checkState: Map<string, Map<string, unknown>> | null
  /** Calls that a service made for the request, each logged; written by the service's route. */
  serviceCalls: readonly ServiceCallRecord[]
  /** Results of input checks on tool calls that a service made; written by these checks. */
  toolResults: readonly HookResult[]
  /** Columns set by stages, which take precedence. */
  fields: Partial<LogFields>
}

/** Whether checks keep values for the answer, such as redacted texts to restore. */
export function keepsCheckState({ checkState }: Pick<RequestRecord, 'checkState'>): boolean {
  if (checkState === null) return false
  for (const shared of checkState.values()) if (shared.size > 0) return true
  return false
}

export const createRequestRecord = (): RequestRecord => ({
  asked: null,
  changed: null,
  original: null,
  head: null,
  sentStatus: null,
  firstByteMs: null,
  streamError: null,
  sent: null,
  framing: null,
  savedCost: null,
  shadows: null,
  session: null,
  checkState: null,
  serviceCalls: noServiceCalls,
  toolResults: noResults,
  fields: {},
})

const noServiceCalls: readonly ServiceCallRecord[] = []
const noResults: readonly HookResult[] = []
