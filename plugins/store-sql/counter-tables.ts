/** The tables of the counters, as kysely knows them. */

interface CountersTable {
  key: string
  /** 0: a budget. */
  length_ms: number
  bucket: number
  current: number
  previous: number
  /** When nothing of it counts any more; null of a budget. */
  ends_at: number | null
}

/** What an attempt holds of a counter until it is settled, or its lease has ended. */
interface CounterLeasesTable {
  key: string
  attempt: string
  amount: number
  /** Of the window, and the bucket of the admission. */
  length_ms: number
  bucket: number
  ends_at: number
}

export interface CounterTables {
  counters: CountersTable
  counter_leases: CounterLeasesTable
}
