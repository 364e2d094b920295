/** Ports for outgoing calls: inference calls, other calls, and the host guard. */
import type { LookupAddress } from 'node:dns'
import type {
  OutboundAnswer,
  OutboundRequest,
  ProviderFetch,
  ProviderFetchAnswer,
  UpstreamRequest,
} from '@gateway/contract'
import type { HeldBuffer } from './buffer-budget.ts'
import type { Cancellation } from './cancellation.ts'

/** Read it to its end, dump it or destroy it: until then it occupies its connection. */
export interface UpstreamBody extends AsyncIterableIterator<Buffer, undefined> {
  /**
   * The next bytes; one pending read at a time. Rejects with `upstream_invalid_response` when the answer is cut off,
   * and with the signal's reason when that fires.
   */
  next(): Promise<IteratorResult<Buffer, undefined>>
  /** Does the same as {@link destroy}; called when a `for await` loop is left. */
  return(): Promise<IteratorResult<Buffer, undefined>>
  /** Closes the answer and its connection; unread data is lost. */
  destroy(): void
  /** Discards a short rest, so that the connection can be reused; a longer one is destroyed. */
  dump(): void
}

export interface UpstreamAnswer {
  status: number
  /** Lower-case names; lists joined with `, `; without `set-cookie`. */
  headers: Record<string, string>
  /** Decoded; read it to its end, dump it or destroy it. */
  body: UpstreamBody
}

/** Inference calls, over pooled connections. */
export interface UpstreamCalls {
  /** Makes one call; resolves when the answer's headers have arrived. */
  send(request: UpstreamRequest, cancellation: Cancellation): Promise<UpstreamAnswer>
}

/** Every other call. */
export interface OutboundCalls {
  /** One call, JSON in, JSON out. Resolves for every status. */
  fetchJson(request: OutboundRequest, signal: AbortSignal, held?: HeldBuffer): Promise<OutboundAnswer>
  /** One provider call, bytes in, bytes out. Resolves for every status. */
  fetch(request: ProviderFetch, signal?: AbortSignal, held?: HeldBuffer): Promise<ProviderFetchAnswer>
}

/** Which hosts may be called. */
export interface HostCheck {
  /**
   * The reason why a URL may not be used, judged without DNS, as a clause that follows a name; null if it may be used.
   */
  checkUrl(url: string | URL): string | null
  /** Whether the URL's host is an address in `security.trusted_hosts`; a name never is, except localhost. */
  isTrusted(url: string): boolean
  /** Resolves a host and checks all addresses; rejects with `host_not_allowed`, or with the resolver's error. */
  resolve(hostname: string): Promise<LookupAddress[]>
}
