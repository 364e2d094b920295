/** The tables of the counters, as kysely types. */

interface CountersTable {
  key: string
  /** The length of the window; 0 for a budget. */
  length_ms: number
  bucket: number
  current: number
  previous: number
  /** The time from which the counter no longer has any effect; null for a budget. */
  ends_at: number | null
}

/** A reservation of an attempt on a counter, until it is settled or its lease ends. */
interface CounterLeasesTable {
  key: string
  attempt: string
  amount: number
  /** The length of the window, and the bucket in which it was admitted. */
  length_ms: number
  bucket: number
  ends_at: number
}

export interface CounterTables {
  counters: CountersTable
  counter_leases: CounterLeasesTable
}
