/**
 * Cancellation token of a request. Its AbortSignal is created lazily, because most requests never need one.
 */

import type { SessionNotice } from '@gateway/contract/dialect'

export interface Cancellation extends SessionNotice {
  /** The token as an AbortSignal. */
  readonly signal: AbortSignal
}

const none: readonly never[] = []

/** A token that is cancelled manually. */
export class Canceller implements Cancellation {
  aborted = false
  reason: unknown = undefined
  private listeners: readonly (() => void)[] = none
  private controller: AbortController | null = null

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController()
      if (this.aborted) this.controller.abort(this.reason)
    }
    return this.controller.signal
  }

  listen(listener: () => void): void {
    if (this.aborted) return
    // Most requests have one at a time. An empty list that grows reserves room for 17.
    this.listeners = this.listeners.length === 0 ? [listener] : [...this.listeners, listener]
  }

  forget(listener: () => void): void {
    this.listeners = this.listeners.filter((each) => each !== listener)
  }

  /** Cancels, once. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const { listeners } = this
    this.listeners = none
    for (const listener of listeners) listener()
    this.controller?.abort(reason)
  }
}

class Following implements Cancellation {
  readonly signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  get aborted(): boolean {
    return this.signal.aborted
  }

  get reason(): unknown {
    return this.signal.reason
  }

  listen(listener: () => void): void {
    this.signal.addEventListener('abort', listener, { once: true })
  }

  forget(listener: () => void): void {
    this.signal.removeEventListener('abort', listener)
  }
}

/** Follows an AbortSignal. */
export const cancellationOf = (signal: AbortSignal): Cancellation => new Following(signal)

/** The reason for cancelling the call that lost a hedge. */
export class HedgeLost extends Error {}

/** Whether a call was cancelled because the other call of its hedge answered. */
export const hasLost = ({ leaving }: { readonly leaving: Cancellation }): boolean =>
  leaving.reason instanceof HedgeLost
