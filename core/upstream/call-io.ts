/** A provider call's I/O, cancellation, and credential. */
import type { ProviderFetch, ProviderIo, UpstreamRequest } from '@gateway/contract'
import { requireOwnHost } from '../config/own-identity.ts'
import type { Cancellation } from '../flow/cancellation.ts'
import type { ResolvedTarget } from '../flow/config-node.ts'
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
    this.fetch = (request) => {
      const own = bounds()
      return settings.outbound.fetch(within(request, own), cancellation.signal, own.buffers.open())
    }
    this.isTrusted = settings.guard.isTrusted
  }

  /** Made when it is asked for: most calls never do. A copy by spread does not have it. */
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
  /** Of the request that it is for, or of the question that is asked apart from requests; for the few calls that fetch. */
  bounds(): ReadBodyOptions
}

/** Through the host guard and the connections of these settings. */
export const createCallIo = (
  settings: Settings,
  cancellation: Cancellation,
  options: CallIoOptions,
): CallIo => new AttemptIo(settings, cancellation, options)

/**
 * Adds a target's credential to the final request. Errors: `host_not_allowed` where the gateway's own cloud identity
 * would leave for a host that is neither the vendor's nor trusted; those of the adapter.
 */
export function authorize(
  { adapter, settings }: ResolvedTarget,
  request: UpstreamRequest,
  io: ProviderIo,
): UpstreamRequest | Promise<UpstreamRequest> {
  if (adapter.ownIdentity !== undefined) requireOwnHost(adapter, settings, request.url, io)
  return adapter.auth(request, settings, io)
}
