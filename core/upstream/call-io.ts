/** What a call of a provider may reach for. */
import type { Cancellation } from '../cancellation.ts'
import type { ProviderIo } from '../contract/index.ts'
import type { Settings } from '../settings.ts'

/** With what ends the call. */
export interface CallIo extends ProviderIo {
  readonly cancellation: Cancellation
}

/** Through the host guard and the connections of these settings. */
export function createCallIo(settings: Settings, cancellation: Cancellation): CallIo {
  return {
    cancellation,
    // A member of its own, as a copy must have it, too; most calls never ask.
    get signal() {
      return cancellation.signal
    },
    now: Date.now,
    fetch: (request) => settings.outbound.fetch(request, cancellation.signal),
    isTrusted: settings.guard.isTrusted,
  }
}
