/**
 * Counters of limits: a request reserves what it may need of all that apply to it in one atomic step, and settles
 * with what it used (management contract, section 16).
 * Windows slide by two buckets aligned to UTC: used = this bucket + ⌈last bucket × the share of it that the window
 * still covers⌉. A bucket's number is ⌊(now − offsetMs) ÷ lengthMs⌋.
 * Errors: `dependency_unavailable` or `store_unavailable`.
 */
export interface CounterWindow {
  lengthMs: number
  /** Where buckets begin: 0, and for weeks (from Monday) 4 days. */
  offsetMs: number
}

export interface Reservation {
  /** Of the counter, unique to the limit and its group. */
  key: string
  /** Null: a budget, which counts until it is reset. */
  window: CounterWindow | null
  limit: number
  /** What is taken, ≥ 0, fractions allowed. */
  need: number
  /**
   * What lets it in. `fits`: used + reserved + min(need, limit) ≤ limit. `open`: used + reserved < limit.
   */
  admits: 'fits' | 'open'
  /** `use` counts at once and is not settled (requests); `hold` is reserved until it is settled or its lease ends. */
  takes: 'use' | 'hold'
  /** Of a `use` that began so long ago: it counts in the bucket of that time, if the window still covers it. Default 0. */
  ageMs?: number
}

export interface CounterReading {
  /** Of the window, rounded up; or of the budget. */
  used: number
  reserved: number
}

export interface ReservationResult {
  /** Whether all were let in; else nothing was taken. */
  isAdmitted: boolean
  /** In the order of the reservations: the readings after it was taken, or those that refused; and whether each alone would have let it in. */
  readings: readonly (CounterReading & { isAdmitted: boolean })[]
}

/** What has been used of one counter. */
export interface CounterUse {
  /** 0: a budget. */
  readonly lengthMs: number
  /** The number of the current bucket; 0 of a budget. */
  readonly bucket: number
  readonly current: number
  /** Of the bucket before it; 0 of a budget. */
  readonly previous: number
}

/** A window as it is kept, with its key: what moves from one store to another. */
export interface KeptWindow {
  key: string
  use: CounterUse
}

/** Some of the windows, and where the next ones begin; `next` null: these were the last ones. */
export interface WindowPage {
  windows: readonly KeptWindow[]
  next: string | null
}

/** For a store that one process has to itself: the uses as they are, so that it may count in memory and keep them here. */
export interface CounterSnapshots {
  /** In the order of the keys; undefined: nothing was kept, or its window has passed. */
  load(keys: readonly string[]): Promise<readonly (CounterUse | undefined)[]>
  /** Replaces the uses of these keys; lasts once it resolves. */
  save(uses: readonly { key: string; use: CounterUse }[]): Promise<void>
}

/** Counters in this process answer, and throw, at once. */
export type CounterAnswer<T> = T | Promise<T>

export interface Counters {
  /**
   * Takes from all or from none. The keys of one call differ; what an attempt holds of a key grows with a second call.
   * @param id of the attempt: what it holds is settled under it, once
   * @param leaseMs after which what nobody settled is given back
   * @param nowMs milliseconds since the epoch, of the caller; shared counters may use their own clock
   */
  reserve(
    id: string,
    reservations: readonly Reservation[],
    leaseMs: number,
    nowMs: number,
  ): CounterAnswer<ReservationResult>
  /**
   * Turns what an attempt holds into what it used, in the window of its admission. A second time, or after the lease,
   * it does nothing. Keys that are not named are given back.
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
  /** Sets what is used to 0; what is reserved stays reserved, and counts in full once it is settled. */
  reset(keys: readonly string[]): Promise<void>
  /** Raises budgets to at least these values; never adds and never lowers. */
  seed(budgets: readonly { key: string; used: number }[]): Promise<void>
  /** Keys of budgets (taken from or seeded) that begin so, with what is used of each; in the order of their UTF-8, behind `after`. */
  list(prefix: string, after: string | null, limit: number): Promise<readonly { key: string; used: number }[]>
  /**
   * Windows of which something was used and that have not ended, in no order. One that changes meanwhile may be listed
   * twice; a page may be empty and not the last one.
   * @param cursor null, then `next` of the page before
   */
  listWindows(cursor: string | null, limit: number, nowMs: number): Promise<WindowPage>
  /** Raises windows to at least these uses, bucket by bucket; never adds and never lowers. */
  seedWindows(windows: readonly KeptWindow[]): Promise<void>
  /** Resolves once all that was counted before outlasts this process. Absent: it does so at once. */
  flush?(): Promise<void>
  /** Of engines that outlast the process; only for a process that has the store to itself. */
  snapshots?: CounterSnapshots
}
