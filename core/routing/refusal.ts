/** Answers that the gateway gives in a target's place. */
import type { Answer } from '../flow/answer.ts'

/** What the gateway says of a target in its place: it has nothing to do with how the target is. */
const refusals: ReadonlySet<string> = new Set([
  'usage_limit_exceeded',
  'rate_limit_exceeded',
  'model_not_allowed',
  'forbidden',
  'unsupported_endpoint',
  'unknown_virtual_key',
  'host_not_allowed',
])

export const isRefusal = ({ fault }: Answer) => fault !== null && refusals.has(fault.code)

/** Whether a target was not called for this request: it was refused, or its circuit is open. */
export const isLeftOut = (answer: Answer): boolean =>
  isRefusal(answer) || answer.fault?.code === 'circuit_open'
