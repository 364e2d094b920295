/** What a call of a provider may reach for. */

import type { ProviderFetch, ProviderIo } from '@gateway/contract'
import type { Cancellation } from '../flow/cancellation.ts'
import type { Settings } from '../flow/settings.ts'
import type { ReadBodyOptions } from './read-body.ts'

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

  constructor(settings: Settings, cancellation: Cancellation, { bounds, streamBegan }: CallIoOptions) {
    this.cancellation = cancellation
    this.streamBegan = streamBegan
    this.fetch = (request) =>
      settings.outbound.fetch(within(request, bounds), cancellation.signal, bounds.buffers.open())
    this.isTrusted = settings.guard.isTrusted
  }

  /** Made when it is asked for: most calls never do. A copy by spread does not have it. */
  get signal(): AbortSignal {
    return this.cancellation.signal
  }
}

/** What a provider asks for may be less than the endpoint's bound, and not more. */
function within(request: ProviderFetch, bounds: ReadBodyOptions): ProviderFetch {
  if (request.maxBytes === undefined || request.maxBytes <= bounds.maxBytes) return request
  return { ...request, maxBytes: bounds.maxBytes }
}

interface CallIoOptions extends Pick<CallIo, 'streamBegan'> {
  /** Of the request that it is for, or of the question that is asked apart from requests. */
  bounds: ReadBodyOptions
}

/** Through the host guard and the connections of these settings. */
export const createCallIo = (
  settings: Settings,
  cancellation: Cancellation,
  options: CallIoOptions,
): CallIo => new AttemptIo(settings, cancellation, options)
