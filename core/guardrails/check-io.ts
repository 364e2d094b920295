/** Where checks run, and how long they may. */
import type {
  CheckFetch,
  JsonObject,
  KeySets,
  OutboundAnswer,
  OutboundRequest,
  ProviderFetchAnswer,
} from '@gateway/contract'
import type { CheckResult } from '../flow/hook-result.ts'
import type { HeldBuffer } from '../shared/buffer-budget.ts'

/** Where what checks do is carried out, and where their errors and durations go. */
export interface CheckEnvironment {
  readonly signal: AbortSignal
  fetchJson(request: OutboundRequest, signal: AbortSignal, held: HeldBuffer): Promise<OutboundAnswer>
  fetch(request: CheckFetch, signal: AbortSignal, held: HeldBuffer): Promise<ProviderFetchAnswer>
  /** For an answer that a check reads; it is given back when the check is over. */
  openBuffer(): HeldBuffer
  resolves(hostname: string): Promise<boolean>
  /** An inbound header as it came; null when it is absent or nothing that a check may have. */
  readHeader(name: string): string | null
  chatComplete(provider: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject>
  readonly keySets: KeySets
  /** Of a plugin, for one request. */
  sharedOf(plugin: string): Map<string, unknown>
  /** Throws for a request that breaks the specification. */
  checkRequest(body: JsonObject): void
  /** Told of every check that gave no verdict. */
  reportError(id: string, error: unknown): void
  /** Told of every check that ran. */
  reportRun(result: CheckResult, durationMs: number): void
}

/** A check that needs longer says so in its own parameters and keeps to it. */
export const checkTimeoutMs = 5000
/** A parameter named `timeout` or `timeoutMs` may ask for more, up to this. */
const longestTimeoutMs = 60_000

/** The limit that a check's own `timeout` (or `timeoutMs`) asks for; null when it asks for none. */
export function timeoutOfParameters(parameters: Readonly<Record<string, unknown>>): number | null {
  const { timeoutMs, timeout = timeoutMs } = parameters
  return typeof timeout === 'number'
    ? Math.min(Math.max(timeout + 100, checkTimeoutMs), longestTimeoutMs)
    : null
}
