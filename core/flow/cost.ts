/** The cost of a call. */
export interface Cost {
  /** US cents; usage without a price counts as 0. */
  cents: number
  /** Whether all usage has a price. */
  isKnown: boolean
}
