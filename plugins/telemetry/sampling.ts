/** Which requests are exported as traces. */

const randomDigits = 14
const size = 16 ** randomDigits

/**
 * The caller's decision, or else one by the ratio from the random part of the trace id, so that every service of a
 * trace decides alike. https://www.w3.org/TR/trace-context-2/#randomness-of-trace-id
 */
export function isSampled(traceId: string, parent: boolean | null, ratio: number): boolean {
  if (parent !== null) return parent
  if (ratio >= 1) return true
  return Number.parseInt(traceId.slice(-randomDigits), 16) < ratio * size
}
