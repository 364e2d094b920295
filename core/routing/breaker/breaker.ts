/**
 * The circuit breaker of one leaf target (contract sections 4 and 7). opossum keeps the state and the cooldown timer.
 * Its `fire` is not used: it opens by percentages and treats the end of any call, even an old or abandoned one, as
 * the result of the probe. Counting failures and selecting the probe are done here and shared with other processes.
 * Errors: `circuit_open` with `retry-after`.
 */
import type { EventEmitter } from 'node:events'
import { GatewayError, type SharedState } from '@gateway/contract'
import type {
  CircuitBreaker as BreakerPort,
  BreakerSettings,
  CircuitState,
  Outcome,
  TargetSubject,
  Verdict,
} from '@gateway/flow'
import CircuitBreaker from 'opossum'
import type { BreakerEvent } from './breaker-messages.ts'
import { createFailureWindow } from './failure-window.ts'

export interface BreakerOptions {
  /** Identical in every process. */
  id: string
  /** The key of its target. */
  targetKey: string
  settings: BreakerSettings
  shared: SharedState
  /** The interval of opossum's statistics, which are not used. */
  rotateBucketController: EventEmitter
  /** Notifies the other processes of events in this one; never throws. */
  announce(event: BreakerEvent): void
  /** Called when the circuit has opened or closed because of calls in this or another process; never throws. */
  changed(change: CircuitChange): void
}

/**
 * `opened`: by counted failures, the last one in this process; `opened_by_news`: the last one in another process,
 * which may not know yet that it was the last; `reopened`: by its probe.
 */
export type CircuitChange = 'opened' | 'opened_by_news' | 'reopened' | 'closed'

/** The maximum delay of a timer. */
const longestTimerMs = 2 ** 31 - 1
/** Delay before requesting a taken lease again, unless a message arrives. */
const leaseRecheckMs = 1000

export class Breaker implements BreakerPort {
  readonly #options: BreakerOptions
  readonly #circuit: CircuitBreaker
  readonly #failures
  readonly #countKey: string
  readonly #leaseKey: string
  /** Distinguishes a pending shared count from later ones. */
  #generation = 0
  #openedAt = 0
  /** The number of failures that opened it. */
  #opening = 0
  subject: TargetSubject | null = null
  lastStatus: number | null = null
  #probing = false
  /** Another process probes; milliseconds since the epoch. */
  #leasedElsewhereUntil = 0

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#countKey = `breaker:count:${options.id}`
    this.#leaseKey = `breaker:probe:${options.id}`
    this.#failures = createFailureWindow(options.settings.cooldown_interval)
    this.#circuit = new CircuitBreaker(async () => undefined, {
      timeout: false,
      resetTimeout: Math.min(options.settings.cooldown_interval, longestTimerMs),
      volumeThreshold: Number.MAX_SAFE_INTEGER,
      rollingCountBuckets: 1,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      rotateBucketController: options.rotateBucketController,
    })
  }

  get id(): string {
    return this.#options.id
  }

  get targetKey(): string {
    return this.#options.targetKey
  }

  get settings(): BreakerSettings {
    return this.#options.settings
  }

  get state(): CircuitState {
    if (this.#circuit.opened) return 'open'
    return this.#circuit.halfOpen ? 'half_open' : 'closed'
  }

  /** Current failures; for a circuit that is not closed, the failures that opened it. */
  failures(): number {
    return this.#circuit.closed ? this.#failures.count(Date.now()) : this.#opening
  }

  /** When it opened and when it allows a probe, in milliseconds since the epoch; null when no cooldown is running. */
  openTimes(): { openedAt: number | null; retryAt: number | null } {
    const { opened, closed } = this.#circuit
    return {
      openedAt: closed ? null : this.#openedAt,
      retryAt: opened ? this.#openedAt + this.#options.settings.cooldown_interval : null,
    }
  }

  /** Whether a call would be refused now: open, or half-open with a probe in flight. */
  isOpen(): boolean {
    if (this.#circuit.halfOpen) return this.#probing || Date.now() < this.#leasedElsewhereUntil
    return this.#circuit.opened
  }

  /**
   * Runs a call and counts its result. A call that throws, or whose verdict rejects, is not counted. Errors:
   * `circuit_open`.
   */
  async run<T>(call: () => Promise<Outcome<T>>): Promise<T> {
    if (this.isOpen()) throw this.refusal()
    if (this.#circuit.halfOpen) return this.#probe(call)
    const { value, failed } = await call()
    this.#countWhenKnown(failed)
    return value
  }

  /** Counts a failure of an earlier call. */
  fail(): void {
    this.#count(true)
  }

  /** Handles a message of another process. */
  hear(event: BreakerEvent): void {
    if (event === 'opened') this.#open()
    else if (event === 'closed') this.#close()
    else if (event === 'released') this.#leasedElsewhereUntil = 0
    else if (event === 'succeeded') this.#forget()
    else if (this.#circuit.closed) this.#openAt(this.#failures.add(Date.now()), 'opened_by_news')
  }

  /** Clears the timer; calls in flight continue but are no longer counted. */
  shutdown(): void {
    this.#circuit.shutdown()
  }

  #countWhenKnown(failed: Verdict | Promise<Verdict>): void {
    if (typeof failed === 'object') failed.then((verdict) => this.#count(verdict), ignore)
    else this.#count(failed)
  }

  #count(verdict: Verdict): void {
    // A call that began before the circuit opened adds no information.
    if (!this.#circuit.closed || verdict === 'ignored') return
    if (verdict) this.#addFailure()
    else if (!this.#failures.empty) this.#reset()
  }

  #addFailure(): void {
    const { shared, settings, announce } = this.#options
    const generation = this.#generation
    this.#openAt(this.#failures.add(Date.now()), 'opened')
    announce('failed')
    shared.increment(this.#countKey, settings.cooldown_interval).then((count) => {
      if (generation === this.#generation) this.#openAt(count, 'opened')
    }, ignore)
  }

  #reset(): void {
    this.#forget()
    this.#drop(this.#countKey)
    this.#options.announce('succeeded')
  }

  #openAt(count: number, change: 'opened' | 'opened_by_news'): void {
    if (count < this.#options.settings.failure_threshold || !this.#circuit.closed) return
    this.#open(count)
    if (change === 'opened') this.#options.announce('opened')
    this.#options.changed(change)
  }

  #open(failures = this.#options.settings.failure_threshold): void {
    if (this.#circuit.isShutdown) return
    this.#opening = failures
    this.#forget()
    this.#openedAt = Date.now()
    // Opened again in another process while open here: close() ends the running cooldown, so that a full one starts.
    this.#circuit.close()
    this.#circuit.open()
  }

  #close(): void {
    if (this.#circuit.isShutdown) return
    this.#forget()
    this.#circuit.close()
  }

  #forget(): void {
    this.#failures.clear()
    this.#generation += 1
  }

  async #probe<T>(call: () => Promise<Outcome<T>>): Promise<T> {
    this.#probing = true
    let verdict: Verdict = 'ignored'
    let leaseEndsAt = 0
    try {
      leaseEndsAt = await this.#lease()
      // Another process may have changed the state in the meantime.
      if (this.#circuit.opened || (this.#circuit.halfOpen && leaseEndsAt === 0)) throw this.refusal()
      const { value, failed } = await call()
      if (typeof failed === 'object') {
        // A stream that has started closes the circuit; if it breaks off, that counts as a new first failure.
        verdict = this.#circuit.halfOpen ? false : 'ignored'
        this.#countWhenKnown(failed)
      } else verdict = failed
      return value
    } finally {
      this.#probing = false
      this.#conclude(verdict, leaseEndsAt)
    }
  }

  /** When this process's lease ends, in milliseconds since the epoch; 0 when another process holds it. */
  async #lease(): Promise<number> {
    const { shared, settings } = this.#options
    const endsAt = Date.now() + settings.cooldown_interval
    const ours = await shared.acquire(this.#leaseKey, settings.cooldown_interval).catch(() => true)
    if (ours) return endsAt
    this.#leasedElsewhereUntil = Date.now() + leaseRecheckMs
    return 0
  }

  #conclude(verdict: Verdict, leaseEndsAt: number): void {
    if (leaseEndsAt === 0) return
    // After its expiry, another process may hold the lease.
    if (Date.now() < leaseEndsAt) this.#drop(this.#leaseKey)
    if (!this.#circuit.halfOpen) this.#count(verdict)
    else if (verdict === 'ignored') this.#options.announce('released')
    else if (verdict) {
      this.#open()
      this.#options.announce('opened')
      this.#options.changed('reopened')
    } else {
      this.#close()
      this.#drop(this.#countKey)
      this.#options.announce('closed')
      this.#options.changed('closed')
    }
  }

  #drop(key: string): void {
    this.#options.shared.delete(key).catch(ignore)
  }

  refusal(): GatewayError {
    const leftMs = this.#circuit.opened
      ? this.#openedAt + this.#options.settings.cooldown_interval - Date.now()
      : 0
    const seconds = Math.max(1, Math.ceil(leftMs / 1000))
    return new GatewayError(
      'circuit_open',
      `The circuit of this target is open; try again in ${seconds} s.`,
      {
        headers: { 'retry-after': String(seconds) },
      },
    )
  }
}

/** Without shared state each process uses its own counts. */
function ignore(): void {}
