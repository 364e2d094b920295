/** What a call of a provider may reach for. */

import type { ProviderIo } from '@gateway/contract'
import type { Cancellation } from '../flow/cancellation.ts'
import type { Settings } from '../flow/settings.ts'

/** With what ends the call. */
export interface CallIo extends ProviderIo {
  readonly cancellation: Cancellation
  /** Says that the first event of a stream is there, for which `request_timeout` waits. */
  readonly streamBegan: () => void
}

/** A class, as a getter in a literal would give every call an object of a shape of its own. */
class AttemptIo implements CallIo {
  readonly cancellation: Cancellation
  readonly streamBegan: () => void
  readonly now = Date.now
  readonly fetch: ProviderIo['fetch']
  readonly isTrusted: ProviderIo['isTrusted']

  constructor(settings: Settings, cancellation: Cancellation, streamBegan: () => void) {
    this.cancellation = cancellation
    this.streamBegan = streamBegan
    this.fetch = (request) => settings.outbound.fetch(request, cancellation.signal)
    this.isTrusted = settings.guard.isTrusted
  }

  /** Made when it is asked for: most calls never do. A copy by spread does not have it. */
  get signal(): AbortSignal {
    return this.cancellation.signal
  }
}

/** Through the host guard and the connections of these settings. */
export const createCallIo = (
  settings: Settings,
  cancellation: Cancellation,
  streamBegan: () => void = () => undefined,
): CallIo => new AttemptIo(settings, cancellation, streamBegan)
