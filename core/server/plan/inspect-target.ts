/** The target of one leaf of a plan, and the reasons why a call would not reach it. */
import { type GatewayError, isGatewayError } from '@gateway/contract'
import {
  type Answer,
  type CircuitBreaker,
  faultAnswer,
  type Resolved,
  type ResolvedTarget,
  type RoomPorts,
  type Routed,
} from '@gateway/flow'
import { breakerOf, fullUntil, noRoom, prepareTarget } from '@gateway/routing'
import { checkEndpoint } from '../../endpoints/index.ts'
import { applicableLimits, type LimitPreview, policySubjectOf, previewLimits } from '../../metering/index.ts'

export interface InspectedTarget {
  /** Null if it cannot be found. */
  target: ResolvedTarget | null
  /** The limits of this target only. */
  limits: readonly LimitPreview[]
  circuit: CircuitBreaker | null
  /** All reasons, including an open circuit and the provider's limits. */
  refusals: readonly GatewayError[]
  /**
   * The answer that a call would return instead of calling the target; null if it would call it. An open circuit does
   * not count.
   */
  answer: Answer | null
}

/** @param exchange an exchange whose node is the leaf; its body becomes the target's */
export async function inspectTarget(
  ports: RoomPorts,
  exchange: Resolved,
  nowMs: number,
): Promise<InspectedTarget> {
  const node = exchange.node
  const endpoint = exchange.endpoint
  const found = attempt(() => prepareTarget(exchange, node).target)
  if (isGatewayError(found)) {
    const answer = faultAnswer(found, { isUnanswered: true })
    return { target: null, limits: [], circuit: null, refusals: [found], answer }
  }
  const unsupported = attempt(() => checkEndpoint(exchange, found, endpoint))
  const { limits, refusal } = await previewOfTarget(exchange, found, nowMs)
  const circuit = breakerOf(ports, node, { target: found, model: exchange.input.body.model })
  const until = fullUntil(ports, exchange, { target: found, body: exchange.input.body })
  const refusals = [
    unsupported,
    refusal,
    circuit?.isOpen() === true ? circuit.refusal() : null,
    until === null ? null : noRoom(until, nowMs),
  ]
  return {
    target: found,
    limits,
    circuit,
    refusals: refusals.filter(isGatewayError),
    answer: answerOf(refusal, unsupported) ?? answerWithoutRoom(until, nowMs),
  }
}

/** Limits are checked before the endpoint; their refusal counts as the target's answer. */
function answerOf(refusal: GatewayError | null, unsupported: unknown): Answer | null {
  if (refusal !== null) return faultAnswer(refusal)
  return isGatewayError(unsupported) ? faultAnswer(unsupported, { isUnanswered: true }) : null
}

const answerWithoutRoom = (until: number | null, nowMs: number): Answer | null =>
  until === null ? null : faultAnswer(noRoom(until, nowMs), { isUnanswered: true })

/** Returns the error instead of throwing it. */
function attempt<T>(check: () => T): T | GatewayError {
  try {
    return check()
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return error
  }
}

function previewOfTarget(exchange: Routed, target: ResolvedTarget, nowMs: number) {
  const { caller, workspace } = exchange
  const set = workspace.limits.of(caller)
  const fixed = target.slug === null ? [] : workspace.limits.ofTarget(target.slug)
  const subject = () => policySubjectOf(exchange, { target, body: exchange.input.body })
  const applied = applicableLimits(fixed, set?.targetPolicies ?? [], { subject, nowMs })
  return previewLimits(exchange, { applied, likely: () => ({ target, body: exchange.input.body }) }, nowMs)
}
