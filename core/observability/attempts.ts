/** The result of every attempt at a target, recorded after the attempt and shown in headers, logs and metrics. */
import type { ErrorCode, JsonObject } from '@gateway/contract'
import {
  type Answer,
  type AttemptFault,
  type AttemptOutcome,
  type AttemptReport,
  appended,
  type Received,
  type Resolved,
  statusOf,
} from '@gateway/flow'

const longestModel = 200

/**
 * Records the attempt behind an answer. A target that is skipped because of its open circuit or its provider's limits
 * is not an attempt.
 * @param startedAt time of the attempt, from `performance.now()`
 */
export function reportAttempt(exchange: Resolved, answer: Answer, startedAt: number): void {
  const { node } = exchange
  const { ledger } = exchange.request
  if (answer.provider === null) return
  if (answer.fault?.code === 'circuit_open' || answer.fault?.code === 'capacity_exhausted') return
  const { model } = exchange.input.body
  const fault = faultOf(answer)
  const before = ledger.attemptReports.at(-1)
  ledger.attemptReports = appended(ledger.attemptReports, {
    path: node.path,
    provider: answer.provider,
    virtualKey: answer.virtualKey,
    model: typeof model === 'string' ? model.slice(0, longestModel) : null,
    status: fault === null ? statusOf(answer) : null,
    fault,
    outcome: outcomeOf(answer, fault),
    durationMs: Math.round(performance.now() - startedAt),
    reason: reasonOf(exchange, node.path, before),
  })
}

/** Why another attempt follows: the answer's error or status. */
export const becauseOf = (answer: Answer): string | number => faultOf(answer) ?? statusOf(answer)

function reasonOf(
  { attempt: { isHedge } }: Resolved,
  path: string,
  before: AttemptReport | undefined,
): AttemptReport['reason'] {
  if (isHedge) return 'hedge'
  if (before === undefined) return 'first'
  return before.path === path ? 'retry' : 'fallback'
}

const faults: Partial<Record<ErrorCode | (string & {}), AttemptFault>> = {
  upstream_unreachable: 'connection',
  upstream_invalid_response: 'invalid_response',
  request_timeout: 'timeout',
  first_token_timeout: 'first_token_timeout',
  stream_idle_timeout: 'stream_idle_timeout',
  stream_total_timeout: 'timeout',
}

const faultOf = ({ fault }: Answer): AttemptFault | null =>
  fault === null ? null : (faults[fault.code] ?? null)

const outcomes: Readonly<Record<AttemptFault, AttemptOutcome>> = {
  connection: 'connection',
  timeout: 'timeout',
  first_token_timeout: 'timeout',
  stream_idle_timeout: 'timeout',
  invalid_response: 'invalid_response',
}

function outcomeOf({ fault, status }: Answer, named: AttemptFault | null): AttemptOutcome {
  if (named !== null) return outcomes[named]
  // The gateway answered instead of the target, because of a limit, a guardrail, or an endpoint that the target does
  // not have.
  if (fault !== null) return 'refused'
  if (status === 429) return '429'
  return status < 400 ? 'success' : status < 500 ? '4xx' : '5xx'
}

/** The attempts after the answer has ended. A broken stream does not match its status, so its attempt is corrected. */
export function endedAttempts({ request }: Received): readonly AttemptReport[] {
  const { ledger } = request
  const { streamError } = request.record
  const last = ledger.attemptReports.at(-1)
  if (streamError === null || last === undefined || last.outcome !== 'success') return ledger.attemptReports
  if (streamError === 'guardrail_denied') return ledger.attemptReports
  const fault = faults[streamError] ?? null
  last.fault = fault
  last.outcome = fault === null ? '5xx' : outcomes[fault]
  return ledger.attemptReports
}

/** Formats an attempt, such as `config.targets[0]=connection`. */
export const attemptText = ({ path, fault, status }: AttemptReport): string => `${path}=${fault ?? status}`

const longestHeader = 1024
/** Header values are bytes: this one is UTF-8. */
const cutMark = Buffer.from('…', 'utf8').toString('latin1')

/** All attempts in one line; null for at most one. */
export function attemptsHeader(attempts: readonly AttemptReport[]): string | null {
  if (attempts.length < 2) return null
  let text = ''
  for (const attempt of attempts) {
    const next = (text === '' ? '' : `${text}, `) + attemptText(attempt)
    if (next.length > longestHeader - cutMark.length - 2) return `${text}, ${cutMark}`
    text = next
  }
  return text
}

/** The attempt in the log entry (management contract, section 18). */
export const attemptEntry = (attempt: AttemptReport): JsonObject => ({
  path: attempt.path,
  provider: attempt.virtualKey ?? attempt.provider,
  model: attempt.model,
  status: attempt.status,
  fault: attempt.fault,
  duration_ms: attempt.durationMs,
  reason: attempt.reason,
})
