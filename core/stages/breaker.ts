/**
 * The leaf's circuit breaker: checked before the call, updated after it; for a stream, at its end. Client disconnects
 * and the gateway's own refusals do not count. Errors: 503 `circuit_open`.
 */

import { isGatewayError } from '@gateway/contract'
import {
  type Answer,
  type BreakerSettings,
  type CircuitBreaker,
  elapsedMs,
  type Next,
  nodePath,
  type Outcome,
  type Ports,
  recordDecision,
  type Targeted,
  targetFault,
  type Verdict,
  type WithSetting,
} from '@gateway/flow'
import { joinSubjects, subjectOf, targetKey } from '@gateway/routing'
import { tapStream } from '@gateway/streaming'

export async function breaker(
  exchange: Targeted,
  next: Next<Targeted>,
  { setting: settings, ports }: WithSetting<BreakerSettings, Ports<'breakers'>>,
): Promise<Answer> {
  const { target } = exchange
  const circuit = ports.breakers.get(targetKey(target, exchange.input.body.model), settings)
  nameSubject(circuit, exchange)
  const codes = settings.failure_status_codes ?? null
  const from = circuit.state
  try {
    const judged = await circuit.run(async () => {
      const answer = await next(exchange)
      circuit.lastStatus = answer.fault === null ? answer.status : null
      return judge(exchange, answer, codes)
    })
    const to = circuit.state
    if (to !== from)
      recordDecision(exchange, {
        step: 'breaker',
        path: nodePath(exchange),
        at_ms: elapsedMs(exchange),
        from,
        to,
      })
    return judged
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'circuit_open') throw error
    recordDecision(exchange, {
      step: 'breaker',
      path: nodePath(exchange),
      at_ms: elapsedMs(exchange),
      from: circuit.state,
      to: circuit.state,
    })
    return targetFault(exchange, error, { isUnanswered: true })
  }
}

/** Records the breaker's target and its users. */
function nameSubject(circuit: CircuitBreaker, exchange: Targeted): void {
  const known = circuit.subject
  if (known?.workspaceIds.includes(exchange.caller.identity.workspaceId) === true) return
  circuit.subject = joinSubjects(known, subjectOf(exchange, exchange.target))
}

/** A stream counts at its end: a broken stream is also a failure of the target. */
function judge(exchange: Targeted, answer: Answer, codes: readonly number[] | null): Outcome<Answer> {
  if (exchange.leaving.aborted || isRefusal(answer)) return { value: answer, failed: 'ignored' }
  const failed = isFailure(answer, codes)
  if (answer.stream === null || failed) return { value: answer, failed }
  let settle: (verdict: Verdict) => void = () => undefined
  const end = new Promise<Verdict>((resolve) => {
    settle = resolve
  })
  const stream = tapStream(answer.stream, {
    end: () => settle(false),
    error: (error) => settle(exchange.leaving.aborted || isTotalTimeout(error) ? 'ignored' : true),
    closed: () => settle('ignored'),
  })
  return { value: { ...answer, stream }, failed: end }
}

/** `stream_total_timeout` runs from the request's arrival, so earlier targets may have used the time. */
const isTotalTimeout = (error: unknown) => isGatewayError(error) && error.code === 'stream_total_timeout'

/** Refusals by the gateway, such as an unsupported endpoint, say nothing about the target. */
const isRefusal = ({ fault, isConnectionFault }: Answer) =>
  fault !== null && !isConnectionFault && fault.code !== 'request_timeout'

function isFailure(answer: Answer, codes: readonly number[] | null): boolean {
  if (answer.isConnectionFault || answer.fault?.code === 'request_timeout') return true
  return codes === null ? answer.status >= 500 : codes.includes(answer.status)
}
