/** Answers of the gateway instead of a target. */
import { type Answer, statusOf } from '@gateway/flow'

/** The gateway's answer instead of a target; it says nothing about the target's health. */
const refusals: ReadonlySet<string> = new Set([
  'usage_limit_exceeded',
  'rate_limit_exceeded',
  'capacity_exhausted',
  'model_not_allowed',
  'forbidden',
  'unsupported_endpoint',
  'unknown_virtual_key',
  'host_not_allowed',
])

export const isRefusal = ({ fault }: Answer) => fault !== null && refusals.has(fault.code)

/**
 * The answer of a balancer whose targets are all refused, in the order of the config. Waiting helps if the only problem
 * of a target is missing room.
 */
export const decidingRefusal = (answers: readonly Answer[]): Answer | undefined =>
  answers.find(({ fault }) => fault?.code === 'capacity_exhausted') ?? answers.at(-1)

/** Whether a target was skipped for now: its circuit is open, or its provider has no room. */
export const isSkipped = ({ fault }: Answer): boolean =>
  fault?.code === 'circuit_open' || fault?.code === 'capacity_exhausted'

/** Whether a target was not called for this request: it was refused, or skipped. */
export const isLeftOut = (answer: Answer): boolean =>
  isRefusal(answer) || answer.fault?.code === 'circuit_open'

/** Whether a fallback continues after this answer. */
export function movesOn(answer: Answer, codes: readonly number[] | null): boolean {
  // The gateway itself has no memory left: another target would need as much.
  if (answer.fault?.code === 'overloaded') return false
  if (answer.isUnanswered) return true
  if (codes !== null) return codes.includes(statusOf(answer))
  return answer.status < 200 || answer.status > 299
}
