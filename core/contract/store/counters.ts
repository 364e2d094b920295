/**
 * Counters of limits: a request reserves its estimate from all applicable limits in one atomic step, and settles with
 * its actual usage (management contract, section 16). Windows slide by two buckets aligned to UTC: used = this bucket +
 * ⌈last bucket × the fraction of it that the window still covers⌉. A bucket's number is ⌊(now − offsetMs) ÷ lengthMs⌋.
 * Errors: `dependency_unavailable` or `store_unavailable`.
 */
export interface CounterWindow {
  lengthMs: number
  /** Offset of bucket boundaries: 0; 4 days for weeks (from Monday). */
  offsetMs: number
}

export interface Reservation {
  /** The counter's key, unique to the limit and its group. */
  key: string
  /** Null: a budget, which counts until it is reset. */
  window: CounterWindow | null
  limit: number
  /** The amount, ≥ 0, fractions allowed. */
  need: number
  /**
   * The admission rule. `fits`: used + reserved + min(need, limit) ≤ limit. `open`: used + reserved < limit.
   */
  admits: 'fits' | 'open'
  /** `use` counts at once and is not settled (requests); `hold` is reserved until it is settled or its lease ends. */
  takes: 'use' | 'hold'
  /** The age of a `use`: it counts in the bucket of its start, if the window still covers it. Default 0. */
  ageMs?: number
}

export interface CounterReading {
  /** Used in the window, rounded up, or of the budget. */
  used: number
  reserved: number
}

export interface ReservationResult {
  /** Whether all were admitted; otherwise nothing was reserved. */
  isAdmitted: boolean
  /**
   * The readings after the reservation, or at its refusal, in the order of the reservations; and whether each counter
   * alone would have admitted it.
   */
  readings: readonly (CounterReading & { isAdmitted: boolean })[]
}

/** The usage of one counter. */
export interface CounterUse {
  /** The length of the window; 0 for a budget. */
  readonly lengthMs: number
  /** The number of the current bucket; 0 for a budget. */
  readonly bucket: number
  readonly current: number
  /** The count of the previous bucket; 0 for a budget. */
  readonly previous: number
}

/** A stored window with its key, for moving it between stores. */
export interface KeptWindow {
  key: string
  use: CounterUse
}

/** A page of windows and the next cursor; `next` null: the last page. */
export interface WindowPage {
  windows: readonly KeptWindow[]
  next: string | null
}

/** Raw uses, for a process that uses the store exclusively: it counts in memory and persists the uses here. */
export interface CounterSnapshots {
  /** The uses in the order of the keys; undefined if nothing is stored or the window has passed. */
  load(keys: readonly string[]): Promise<readonly (CounterUse | undefined)[]>
  /** Replaces the uses of these keys; durable once it resolves. */
  save(uses: readonly { key: string; use: CounterUse }[]): Promise<void>
}

/** Counters in this process return, and throw, synchronously. */
export type CounterAnswer<T> = T | Promise<T>

export interface Counters {
  /**
   * Reserves from all counters or from none. The keys of one call are distinct; a second call adds to an attempt's hold
   * on a key. @param id of the attempt; its holds are settled under it, once
   * @param leaseMs after which unsettled holds
   * are released
   * @param nowMs milliseconds since the epoch, of the caller; shared counters may use their own clock
   */
  reserve(
    id: string,
    reservations: readonly Reservation[],
    lease: { leaseMs: number; nowMs: number },
  ): CounterAnswer<ReservationResult>
  /**
   * Replaces an attempt's holds by its usage, in the window of its admission. No effect the second time or after the
   * lease. Holds on other keys are released.
   * @returns the readings after it, in the order of the keys named
   */
  settle(
    id: string,
    used: readonly { key: string; amount: number; window: CounterWindow | null }[],
    nowMs: number,
  ): CounterAnswer<readonly CounterReading[]>
  read(
    keys: readonly { key: string; window: CounterWindow | null }[],
    nowMs: number,
  ): Promise<readonly CounterReading[]>
  /** Sets the usage to 0; reservations stay and count in full once they are settled. */
  reset(keys: readonly string[]): Promise<void>
  /** Raises budgets to at least these values; never adds and never lowers. */
  seed(budgets: readonly { key: string; used: number }[]): Promise<void>
  /** Keys of budgets (used or seeded) with this prefix and their usage, in UTF-8 order after `after`. */
  list(prefix: string, after: string | null, limit: number): Promise<readonly { key: string; used: number }[]>
  /**
   * Windows that have usage and have not ended, unordered. A window that changes during the listing may appear twice; a
   * page may be empty without being the last.
   * @param cursor null for the first page, then `next` of the previous page
   */
  listWindows(cursor: string | null, limit: number, nowMs: number): Promise<WindowPage>
  /** Raises windows to at least these uses, per bucket; never adds and never lowers. */
  seedWindows(windows: readonly KeptWindow[]): Promise<void>
  /** Resolves once everything counted so far is durable. Absent: counts are always durable. */
  flush?(): Promise<void>
  /** Present in durable engines; only for a process that uses the store exclusively. */
  snapshots?: CounterSnapshots
}
