/** The leaf's circuit breaker: checked before the call, updated after it. Client disconnects do not count. */

import { isGatewayError } from '@gateway/contract'
import {
  type Answer,
  type CircuitBreaker,
  type Exchange,
  faultAnswer,
  type Next,
  type Outcome,
  type ResolvedTarget,
  recordDecision,
  required,
  type Verdict,
} from '../flow/index.ts'
import { breakerOf, joinSubjects, subjectOf } from '../routing/index.ts'
import { tapStream } from '../streaming/index.ts'

export async function breaker(exchange: Exchange, next: Next): Promise<void> {
  const node = required(exchange.node, 'config node')
  const target = required(exchange.target, 'target')
  const circuit = required(breakerOf(exchange, node, target, exchange.body.model), 'circuit breaker')
  nameSubject(circuit, exchange, target)
  const codes = node.breaker?.failure_status_codes ?? null
  const from = circuit.state
  try {
    exchange.answer = await circuit.run(async () => {
      await next(exchange)
      const answer = required(exchange.answer, 'answer')
      circuit.lastStatus = answer.fault === null ? answer.status : null
      return judge(exchange, answer, codes)
    })
    const to = circuit.state
    if (to !== from) recordDecision(exchange, 'breaker', { from, to })
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'circuit_open') throw error
    recordDecision(exchange, 'breaker', { from: circuit.state, to: circuit.state })
    exchange.answer = faultAnswer(error, {
      provider: target.adapter.name,
      virtualKey: target.slug,
      index: node.path,
      isUnanswered: true,
      beforeResults: exchange.beforeResults,
    })
  }
}

/** Records the breaker's target and its users. */
function nameSubject(circuit: CircuitBreaker, exchange: Exchange, target: ResolvedTarget): void {
  const workspaceId = exchange.identity?.workspaceId ?? null
  const known = circuit.subject
  if (known !== null && (workspaceId === null || known.workspaceIds.includes(workspaceId))) return
  circuit.subject = joinSubjects(known, subjectOf(exchange, target))
}

/** A stream counts at its end: a broken stream is also a failure of the target. */
function judge(exchange: Exchange, answer: Answer, codes: readonly number[] | null): Outcome<Answer> {
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

/** The timeout of the whole request expired, which may be due to earlier targets. */
const isTotalTimeout = (error: unknown) => isGatewayError(error) && error.code === 'stream_total_timeout'

/** Refusals by the gateway, such as an unsupported endpoint, say nothing about the target. */
const isRefusal = ({ fault, isConnectionFault }: Answer) =>
  fault !== null && !isConnectionFault && fault.code !== 'request_timeout'

function isFailure(answer: Answer, codes: readonly number[] | null): boolean {
  if (answer.isConnectionFault || answer.fault?.code === 'request_timeout') return true
  return codes === null ? answer.status >= 500 : codes.includes(answer.status)
}
