/** The environment and time limits of checks. */
import type {
  CheckFetch,
  JsonObject,
  KeySets,
  OutboundAnswer,
  OutboundRequest,
  ProviderFetchAnswer,
} from '@gateway/contract'
import type { CheckResult, HeldBuffer } from '@gateway/flow'

/** Carries out the checks' calls and receives their errors and durations. */
export interface CheckEnvironment {
  readonly signal: AbortSignal
  fetchJson(request: OutboundRequest, signal: AbortSignal, held: HeldBuffer): Promise<OutboundAnswer>
  fetch(request: CheckFetch, signal: AbortSignal, held: HeldBuffer): Promise<ProviderFetchAnswer>
  /** Reserves memory for an answer that a check reads; released when the check ends. */
  openBuffer(): HeldBuffer
  resolves(hostname: string): Promise<boolean>
  /** An unmodified inbound header; null when it is absent or not available to checks. */
  readHeader(name: string): string | null
  chatComplete(provider: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject>
  readonly keySets: KeySets
  /** The memory that the checks of a plugin share during one request. */
  sharedOf(plugin: string): Map<string, unknown>
  /** Throws for a request that violates the specification. */
  checkRequest(body: JsonObject): void
  /** Called for every check without a verdict. */
  reportError(id: string, error: unknown): void
  /** Called for every check that ran. */
  reportRun(result: CheckResult, durationMs: number): void
}

/** The default time limit. A check that needs longer sets its own timeout parameter and enforces it. */
export const checkTimeoutMs = 5000
/** The maximum that a parameter named `timeout` or `timeoutMs` may request. */
const longestTimeoutMs = 60_000

/** The limit set by a check's own `timeout` (or `timeoutMs`); null when it is not set. */
export function timeoutOfParameters(parameters: Readonly<Record<string, unknown>>): number | null {
  const { timeoutMs, timeout = timeoutMs } = parameters
  return typeof timeout === 'number'
    ? Math.min(Math.max(timeout + 100, checkTimeoutMs), longestTimeoutMs)
    : null
}
