/**
 * What one request has done so far that costs: every attempt at a target, what it used, and what rate limits say; and what
 * it has still to do behind its answer. One for all forks of an exchange. Counts are settled from it at the true end of
 * the answer.
 */
import type { InferencePrompt, JsonObject, LogFields, Phase, RequestTrace } from '@gateway/contract'
import type { AttemptReport } from './attempt-report.ts'
import type { ResolvedTarget } from './config-node.ts'
import type { Endpoint } from './endpoint.ts'
import type { HookResult } from './hook-result.ts'
import type { CompiledLimit } from './limits.ts'
import type { Cost, Usage } from './usage.ts'

/** One try of a target. */
export interface Attempt {
  readonly target: ResolvedTarget
  readonly endpoint: Endpoint
  /** As the target got it. */
  readonly body: JsonObject
  /** As it was written for the target, in its own format; written by the call. */
  wire: JsonObject | null
  /** `performance.now()` when it was sent, and when its answer began or failed. Written by `call`. */
  readonly startedAt: number
  endedAt: number
  /** The model as the answer names it; written by `call`. */
  answeredModel: string | null
  /** As the provider reports it; written by `call`, of a stream while it flows. */
  usage: Usage | null
  /** What came: nothing that costs, a whole answer, or a stream. Written by `call`. */
  outcome: 'nothing' | 'whole' | 'stream'
  /** Of its span; null where the request has no trace. */
  readonly spanId: string | null
}

/** What a rate limit said last. */
export interface RateReading {
  limit: CompiledLimit
  used: number
  reserved: number
}

/** What the caller of a stream was sent. */
export interface SentText {
  push(bytes: Buffer): void
  /** UTF-8 bytes of the text that was sent, about. */
  textBytes(): number
  /** The first and the last of what was sent. */
  ends(): Buffer[]
}

/** What attempts used and cost. */
export interface UsageCost {
  usage: Usage
  cost: Cost
  /** Whether some of it is not what a provider reported. */
  isEstimate: boolean
}

export interface Ledger {
  attempts: Attempt[]
  /** What was decided, in order. */
  decisions: Decision[]
  /** Whether the answer tells them. */
  isExplained: boolean
  /** Extra calls of hedging. */
  hedges: number
  /** Null where nobody asks for traces. Written by `telemetry`. */
  trace: RequestTrace | null
  /** What attempts came to, and what was refused before it became one. */
  attemptReports: AttemptReport[]
  /** Of the request, and of the target that was tried last. */
  requestRates: readonly RateReading[]
  targetRates: readonly RateReading[]
  /** The prompt that a target named and that ran last; null: none did. Written by `prompt`. */
  prompt: InferencePrompt | null
  /** Of a stream, what the caller was sent; written by `respond`. */
  sent: SentText | null
  /** What the body that was looked at last may need. */
  estimate: { body: JsonObject; usage: Usage } | null
  /** What the attempt that was looked at last used and cost, by what its provider reported. */
  usageCost: { of: Attempt; usage: Usage; cost: UsageCost } | null
  /** What runs behind the last byte: async hooks add to it, `telemetry` begins it. */
  deferred: DeferredWork
}

/** @param deferred of the request in whose place this one runs */
export const createLedger = (deferred = createDeferredWork()): Ledger => ({
  attempts: [],
  decisions: [],
  isExplained: false,
  hedges: 0,
  trace: null,
  attemptReports: [],
  requestRates: none,
  targetRates: none,
  prompt: null,
  sent: null,
  estimate: null,
  usageCost: null,
  deferred,
})

const none: readonly RateReading[] = []

/** What an async hook found. */
export interface LateHook {
  phase: Phase
  result: HookResult
}

/** A hook tells what it found, null when it failed; other work has nothing to tell. */
type Work = () => Promise<LateHook | null> | undefined

/** Work that waits for the last byte of an answer, so that it can neither delay nor change it. */
export interface DeferredWork {
  /** Takes work to do when the answer is over; at once, if it is already. */
  add(work: Work): void
  /** The answer is over. Gives the hooks that run now. */
  begin(): Promise<LateHook | null>[]
}

function createDeferredWork(): DeferredWork {
  const waiting: Work[] = []
  let hasBegun = false
  return {
    add(work) {
      if (hasBegun) void work()
      else waiting.push(work)
    },
    begin() {
      hasBegun = true
      return waiting.splice(0).flatMap((work) => work() ?? [])
    },
  }
}

/**
 * The decision trace: what the gateway decided about a request, in order (contract section 8). It stands in the log entry, and
 * in the answer for who asks with `x-gateway-explain`. It holds no content, host, header value or credential.
 */
interface Decision {
  step:
    | 'config'
    | 'limit'
    | 'guardrail'
    | 'cache'
    | 'condition'
    | 'pick'
    | 'call'
    | 'retry'
    | 'fallback'
    | 'breaker'
    | 'end'
  /** Of the config node; null before there is one. */
  path: string | null
  /** Milliseconds since the request arrived. */
  at_ms: number
  /** What the step adds: see the table of the contract. */
  [field: string]: unknown
}

type Step = Decision['step']

/** A config with many retries of many targets has more to tell than anybody reads. */
const most = 200

/** As much of an exchange as a decision needs. */
interface Deciding {
  readonly startedAt: number
  readonly node: { readonly path: string } | null
  readonly ledger: { readonly decisions: Decision[] }
}

/** Notes a decision. */
export function recordDecision(
  exchange: Deciding,
  step: Step,
  fields: Readonly<Record<string, unknown>>,
): void {
  const { decisions } = exchange.ledger
  if (decisions.length >= most) return
  const at_ms = Math.round(performance.now() - exchange.startedAt)
  decisions.push({ step, path: exchange.node?.path ?? null, at_ms, ...fields })
}

/** What the log keeps of a request beside its exchange: notes of stages, one for all forks. */
export interface RequestRecord {
  /** The body as it was read; written by `parse`. */
  asked: JsonObject | null
  /** The body as input hooks changed it last; null when none did. Written by `guardrails-in`. */
  changed: JsonObject | null
  /** The answer before output hooks changed it; null when none did. Written by the output checks. */
  original: JsonObject | null
  /** Written by `respond`. */
  head: { status: number; headers: Readonly<Record<string, string>> } | null
  /** What went out of a stream, up to a bound; null where no bodies are kept. Written by `respond`. */
  chunks: Buffer[] | null
  /** Of a cache hit: what the stored answer cost in cents, as far as it is known. Written by `cache`. */
  savedCost: (() => number | null) | null
  /** What stages say of the entry's own columns; it counts before everything else. */
  fields: Partial<LogFields>
}

export const createRequestRecord = (): RequestRecord => ({
  asked: null,
  changed: null,
  original: null,
  head: null,
  chunks: null,
  savedCost: null,
  fields: {},
})
