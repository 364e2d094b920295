/**
 * What one request has done so far that costs: every attempt at a target, what it used, and what rate limits say. One for
 * all forks of an exchange. Counts are settled from it at the true end of the answer.
 */

import type { JsonObject } from '@gateway/contract'
import type { AttemptReport } from './attempt-report.ts'
import type { ResolvedTarget } from './config-node.ts'
import type { Endpoint } from './endpoint.ts'
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
  /** Extra calls of hedging. */
  hedges: number
  /** What attempts came to, and what was refused before it became one. */
  attemptReports: AttemptReport[]
  /** Of the request, and of the target that was tried last. */
  requestRates: readonly RateReading[]
  targetRates: readonly RateReading[]
  /** Of a stream, what the caller was sent; written by `respond`. */
  sent: SentText | null
  /** What the body that was looked at last may need. */
  estimate: { body: JsonObject; usage: Usage } | null
  /** What the attempt that was looked at last used and cost, by what its provider reported. */
  usageCost: { of: Attempt; usage: Usage; cost: UsageCost } | null
}

export const createLedger = (): Ledger => ({
  attempts: [],
  hedges: 0,
  attemptReports: [],
  requestRates: none,
  targetRates: none,
  sent: null,
  estimate: null,
  usageCost: null,
})

const none: readonly RateReading[] = []
