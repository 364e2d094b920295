/** A provider call's I/O, cancellation, and credential. */

import { requireOwnHost } from '@gateway/config'
import type { ProviderFetch, ProviderIo, UpstreamRequest } from '@gateway/contract'
import type { Cancellation, ResolvedTarget, Workspace } from '@gateway/flow'
import type { ReadBodyOptions } from './read-body.ts'

/** Includes the signal that ends the call. */
export interface CallIo extends ProviderIo {
  readonly cancellation: Cancellation
  /** Reports that the first event of a stream has arrived, which ends `request_timeout`. */
  readonly streamBegan: () => void
}

/** A class, because a getter in a literal would give every call its own hidden class. */
class AttemptIo implements CallIo {
  readonly cancellation: Cancellation
  readonly streamBegan: () => void
  readonly now = Date.now
  readonly fetch: ProviderIo['fetch']
  readonly isTrusted: ProviderIo['isTrusted']

  constructor(settings: Workspace, cancellation: Cancellation, { bounds, streamBegan }: CallIoOptions) {
    this.cancellation = cancellation
    this.streamBegan = streamBegan
    this.fetch = (request) => {
      const own = bounds()
      return settings.outbound.fetch(within(request, own), cancellation.signal, own.buffers.open())
    }
    this.isTrusted = settings.guard.isTrusted
  }

  /** Created on first access: most calls never need it. A spread copy does not have it. */
  get signal(): AbortSignal {
    return this.cancellation.signal
  }
}

/** A provider may request less than the endpoint's limit, not more. */
function within(request: ProviderFetch, bounds: ReadBodyOptions): ProviderFetch {
  if (request.maxBytes === undefined || request.maxBytes <= bounds.maxBytes) return request
  return { ...request, maxBytes: bounds.maxBytes }
}

interface CallIoOptions extends Pick<CallIo, 'streamBegan'> {
  /** The I/O of the request, or of a call outside requests; needed only by calls that fetch. */
  bounds(): ReadBodyOptions
}

/** Uses the host guard and the connections of these settings. */
export const createCallIo = (
  settings: Workspace,
  cancellation: Cancellation,
  options: CallIoOptions,
): CallIo => new AttemptIo(settings, cancellation, options)

/**
 * Adds a target's credential to the final request.
 * Errors: `host_not_allowed` when the gateway's own cloud identity would be sent to a host that is neither the vendor's
 * nor trusted; those of the adapter.
 */
export function authorize(
  { adapter, settings }: ResolvedTarget,
  request: UpstreamRequest,
  io: ProviderIo,
): UpstreamRequest | Promise<UpstreamRequest> {
  if (adapter.ownIdentity !== undefined) requireOwnHost(adapter, settings, { url: request.url, io })
  return adapter.auth(request, settings, io)
}
