/**
 * The remaining rate limits of one stored credential and model: the windows of its last answers, minus the usage that
 * this process has sent since. Once a window has reset, the whole limit counts as remaining, minus the usage sent since
 * the reset, until an answer reports new values or the same time has passed again. A window without a known limit is
 * forgotten.
 */
import type {
  Hold,
  LimitAnswer,
  LimitMeasure,
  Need,
  SentMark,
  TargetCapacity,
  TargetSubject,
} from '@gateway/flow'
import { type LimitReading, longestBelievedMs, type WindowReading } from './limit-headers.ts'

interface Window extends WindowReading {
  /** The usage sent up to the time for which `remaining` was reported, in the window's measure. */
  sentBefore: number
  /**
   * The number of requests sent up to the call that this answer belongs to; 0 if the call was not counted, or belongs
   * to another process.
   */
  asOf: number
  /** The longest time to a reset that an answer reported. */
  lengthMs: number
  /** Whether it has reset since the last answer. */
  isAssumed: boolean
  /** After a refusal: the time when the refused amount has room. */
  early: { at: number; room: number } | null
}

const nothingSent: SentMark = { requests: 0, inputTokens: 0, outputTokens: 0 }

/** The maximum number of windows; vendors report two to six. */
const mostWindows = 32

/** Timers may fire this early. */
const timerSlackMs = 5

/** The resets of one window in two answers differ by rounding, and by the time that answers take. */
const sameWindowMs = 1500

export class TargetLimits implements TargetCapacity {
  readonly key: string
  subject: TargetSubject | null = null
  readonly #windows = new Map<string, Window>()
  #sent = nothingSent
  #held = nothingSent
  /** Set after a refusal that says when to retry. */
  #refused: { until: number; asOf: number } | null = null

  constructor(key: string) {
    this.key = key
  }

  /** Windows that an answer reported and that have not reset. */
  windows(nowMs: number): readonly (WindowReading & { left: number })[] {
    this.#pass(nowMs)
    return [...this.#windows.values()]
      .filter(({ isAssumed }) => !isAssumed)
      .map(({ name, measure, limit, remaining, resetAt, sentBefore }) => ({
        ...{ name, measure, limit, remaining, resetAt },
        left: Math.max(0, remaining - (amountOf(this.#sent, measure) - sentBefore)),
      }))
  }

  /** The time until which the provider asked not to be called, or null. */
  refusedUntil(nowMs: number): number | null {
    this.#pass(nowMs)
    return this.#refused?.until ?? null
  }

  fullUntil(need: Need, nowMs: number, own: Hold | null): number | null {
    this.#pass(nowMs)
    let until = this.#refused?.until ?? null
    const kept = own?.target === this ? own.need : null
    for (const window of this.#windows.values()) {
      const opensAt = this.#opensAt(window, need, kept)
      if (opensAt !== null && (until === null || opensAt > until)) until = opensAt
    }
    return until
  }

  /** The time when a window has room; null if it has room now. A request larger than the limit needs all of it. */
  #opensAt(window: Window, need: Need, kept: Need | null): number | null {
    const { measure, limit, remaining, sentBefore, early, resetAt } = window
    const wanted = Math.min(neededOf(need, measure), limit ?? Number.MAX_SAFE_INTEGER)
    const held = amountOf(this.#held, measure) - (kept === null ? 0 : neededOf(kept, measure))
    const left = remaining - (amountOf(this.#sent, measure) - sentBefore) - Math.max(0, held)
    if (wanted <= left) return null
    return early !== null && wanted <= early.room ? early.at : resetAt
  }

  send(need: Need, nowMs: number): SentMark {
    this.#pass(nowMs)
    this.#sent = plus(this.#sent, need, 1)
    return this.#sent
  }

  hold(need: Need): Hold {
    this.#held = plus(this.#held, need, 1)
    let isHeld = true
    return {
      target: this,
      need,
      release: () => {
        if (isHeld) this.#held = plus(this.#held, need, -1)
        isHeld = false
      },
    }
  }

  /** Updates the limits from an answer. Returns whether a limit is used up according to the answer. */
  learn({ windows, retryAt }: LimitReading, { status, need, mark, nowMs }: LimitAnswer): boolean {
    this.#pass(nowMs)
    const asOf = mark?.requests ?? 0
    for (const reading of windows) this.#replace(reading, mark, nowMs)
    if (status === 429 && retryAt !== null) this.#refuse(retryAt, asOf, { need, windows })
    else if (status < 300 && this.#refused !== null && asOf > this.#refused.asOf) this.#refused = null
    return status === 429 || windows.some(({ remaining }) => remaining === 0)
  }

  #replace(reading: WindowReading, mark: SentMark | null, nowMs: number): void {
    const known = this.#windows.get(reading.name)
    if (known === undefined && this.#windows.size >= mostWindows) return
    const asOf = mark?.requests ?? 0
    // Answers may arrive out of order: the answer to the latest call counts.
    if (known !== undefined && asOf < known.asOf) return
    const isSame = known !== undefined && !known.isAssumed && reading.resetAt <= known.resetAt + sameWindowMs
    // Calls that were not counted have no order: the window only shrinks.
    const remaining = asOf === 0 && isSame ? Math.min(reading.remaining, known.remaining) : reading.remaining
    this.#windows.set(reading.name, {
      ...reading,
      remaining,
      sentBefore: amountOf(mark ?? this.#sent, reading.measure),
      asOf,
      lengthMs: Math.max(known?.lengthMs ?? 0, reading.resetAt - nowMs),
      isAssumed: false,
      early: null,
    })
  }

  /** The provider says when to retry the refused request, which is often before the whole window has reset. */
  #refuse(
    until: number,
    asOf: number,
    { need, windows }: { need: Need; windows: readonly WindowReading[] },
  ): void {
    this.#refused = { until, asOf }
    for (const { name } of windows) {
      const window = this.#windows.get(name)
      if (window === undefined || window.resetAt <= until) continue
      window.early = { at: until, room: neededOf(need, window.measure) }
    }
  }

  /** A report from another process. */
  hear(windows: readonly WindowReading[], refusedUntil: number | null, nowMs: number): void {
    this.#pass(nowMs)
    for (const reading of windows) this.#join(reading, nowMs)
    if (refusedUntil === null || refusedUntil <= nowMs) return
    if (this.#refused === null || this.#refused.until < refusedUntil)
      this.#refused = { until: refusedUntil, asOf: this.#sent.requests }
  }

  /** Within one window, the lower of both values is closer to the actual one. */
  #join(reading: WindowReading, nowMs: number): void {
    const known = this.#windows.get(reading.name)
    if (reading.resetAt <= nowMs || (known === undefined && this.#windows.size >= mostWindows)) return
    const isOwn = known !== undefined && !known.isAssumed && known.asOf > 0
    if (isOwn && reading.resetAt <= known.resetAt + sameWindowMs) {
      if (reading.remaining < known.remaining) known.remaining = reading.remaining
      return
    }
    const lengthMs = Math.min(longestBelievedMs, Math.max(known?.lengthMs ?? 0, reading.resetAt - nowMs))
    const sentBefore = amountOf(this.#sent, reading.measure)
    this.#windows.set(reading.name, {
      ...{ ...reading, sentBefore, lengthMs },
      ...{ asOf: 0, isAssumed: false, early: null },
    })
  }

  /** Advances the time: windows that have reset are full again. */
  #pass(realMs: number): void {
    const nowMs = realMs + timerSlackMs
    if (this.#refused !== null && this.#refused.until <= nowMs) this.#refused = null
    for (const [name, window] of this.#windows) {
      const { limit, early } = window
      if (nowMs < window.resetAt) {
        if (early === null || nowMs < early.at) continue
        const left = window.remaining - (amountOf(this.#sent, window.measure) - window.sentBefore)
        window.remaining = Math.max(left, early.room)
        window.sentBefore = amountOf(this.#sent, window.measure)
        window.early = null
      } else if (limit === null || window.isAssumed || nowMs >= window.resetAt + window.lengthMs) {
        this.#windows.delete(name)
      } else {
        window.remaining = limit
        window.sentBefore = amountOf(this.#sent, window.measure)
        window.resetAt += window.lengthMs
        window.isAssumed = true
        window.early = null
      }
    }
  }
}

const plus = (sum: SentMark, need: Need, times: 1 | -1): SentMark => ({
  requests: sum.requests + times,
  inputTokens: sum.inputTokens + times * need.inputTokens,
  outputTokens: sum.outputTokens + times * need.outputTokens,
})

function amountOf({ requests, inputTokens, outputTokens }: SentMark, measure: LimitMeasure): number {
  switch (measure) {
    case 'requests':
      return requests
    case 'tokens':
      return inputTokens + outputTokens
    case 'input_tokens':
      return inputTokens
    case 'output_tokens':
      return outputTokens
  }
}

const neededOf = (need: Need, measure: LimitMeasure): number => amountOf({ requests: 1, ...need }, measure)
