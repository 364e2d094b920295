/** The cost of a planned request: that of the most expensive target that it may reach. */
import type { Fault, InferencePlan } from '@gateway/contract'

export interface PlannedCost {
  /** The errors with which it would be refused before a target is called. */
  faults: readonly Fault[]
  /** The price of the estimate in US cents; null if no price is known for a target, or an error prevents the routing. */
  cents: number | null
  /** The price of the given tokens in US cents; null as above. */
  centsOfTokens: number | null
  /** Models without a known price, as `provider/model`. */
  unpriced: readonly string[]
}

export function plannedCost({ faults, missingScope, targets }: InferencePlan): PlannedCost {
  const all = (missingScope === null ? faults : [...faults, missingScope]).map(
    ({ code, param, message }): Fault => ({ code, param: param ?? '', message }),
  )
  if (faults.length > 0) return { faults: all, cents: null, centsOfTokens: null, unpriced: [] }
  // A target that is full or whose circuit is open may be called when the request runs.
  const reachable = targets.filter(({ isReachable }) => isReachable)
  const unpriced = reachable
    .filter(({ cents }) => cents === null)
    .map(({ provider, model }) => `${provider ?? ''}/${model ?? ''}`)
  return {
    faults: all,
    cents: largest(reachable.map(({ cents }) => cents)),
    centsOfTokens: largest(reachable.map(({ centsOfTokens }) => centsOfTokens)),
    unpriced: [...new Set(unpriced)],
  }
}

const largest = (prices: readonly (number | null)[]): number | null =>
  prices.reduce((one, other) => (one === null || other === null ? null : Math.max(one, other)), 0)

/** The reserve of a request: its estimate, or the price of the tokens that the baseline took. Null: unknown. */
export function needOf({ cents, centsOfTokens }: PlannedCost): number | null {
  return cents === null || centsOfTokens === null ? null : Math.max(cents, centsOfTokens)
}
