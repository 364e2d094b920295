/** Orders for the measured process, and its answers. */
export type Order =
  | 'count promises'
  | 'promises counted'
  | 'name promises'
  | 'promises named'
  | 'count bytes'
  | 'bytes counted'
  | 'sample allocations'
  | 'allocations sampled'

/** Promises or bytes, by function. */
export interface Counted {
  total: number
  functions: Record<string, number>
}
