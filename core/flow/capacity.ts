/** Interfaces for the known rate limits of providers, and for the queue of requests that wait for capacity. */
import type { TargetSubject } from './breaker.ts'

export type LimitMeasure = 'requests' | 'tokens' | 'input_tokens' | 'output_tokens'

/** The capacity that a request needs: one request, and its estimated tokens. */
export interface Need {
  inputTokens: number
  /** The maximum output that the request allows. */
  outputTokens: number
}

/** The usage that a process had sent to a target, up to and including one call. */
export interface SentMark {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Room that is kept for a request from when it leaves the queue until its call. */
export interface Hold {
  readonly target: TargetCapacity
  readonly need: Need
  /** Releases the room; further calls have no effect. */
  release(): void
}

/** The answers of one stored credential and model. */
export interface TargetCapacity {
  /** Null until its first answer in this process. */
  subject: TargetSubject | null
  /**
   * The time when the target has room for a request, in milliseconds since the epoch; null if it has room now.
   * @param own room that is kept for this request
   */
  fullUntil(need: Need, nowMs: number, own: Hold | null): number | null
  /** Counts a call that is about to be made. */
  send(need: Need, nowMs: number): SentMark
  /** Keeps room for a request that leaves the queue. */
  hold(need: Need): Hold
}

/** The parts of an answer that concern limits. */
export interface LimitAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  need: Need
  /** Null for a call that was made before any limits of its target were known. */
  mark: SentMark | null
  nowMs: number
}

export interface Capacity {
  /** Whether the limits of any target are known; until then no request is checked. */
  readonly isKnown: boolean
  /** Null if the target's limits are not known. */
  of(key: string): TargetCapacity | null
  /** @param subject the target and its caller */
  learn(key: string, answer: LimitAnswer, subject: TargetSubject): void
  readonly queue: WaitQueue
}

/** A target that a waiting request can use. */
export interface Seat {
  target: TargetCapacity
  need: Need
}

export interface Place {
  /** The targets that can serve the request; at least one. */
  seats: readonly Seat[]
  /** From 0 to 100, higher first. */
  priority: number
  /** The key of the caller, for fairness. */
  caller: string
  /** Whether a target without a limit can be called again; null if all targets have limits. */
  isOtherwiseFree: (() => boolean) | null
}

/** `full`: the queue is full. */
export type WaitOutcome = 'served' | 'timeout' | 'left' | 'full' | 'stopping'

export interface Waited {
  outcome: WaitOutcome
  /** For a served request: the room that is kept for it; null when a target without a limit is free. */
  hold: Hold | null
}

/** A request that keeps its position when it returns to the queue. */
export interface Ticket {
  /**
   * Waits for room, at most this many milliseconds. Resolves soon if no other request waits for the same targets and
   * they have room.
   */
  wait(longestWaitMs: number): Promise<Waited>
  /** Ends the wait. */
  leave(): void
}

export interface WaitQueue {
  readonly size: number
  /** Whether requests wait for this target. */
  isAwaited(target: TargetCapacity): boolean
  join(place: Place): Ticket
  /** Answers all waiting requests with `stopping`, also those that come later. Returns their number. */
  stop(): number
}
