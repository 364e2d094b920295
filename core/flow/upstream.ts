/** Ports to the outside: inference calls, other calls, and what the host guard says of hosts. */
import type { LookupAddress } from 'node:dns'
import type {
  OutboundAnswer,
  OutboundRequest,
  ProviderFetch,
  ProviderFetchAnswer,
  UpstreamRequest,
} from '@gateway/contract'
import type { HeldBuffer } from '../shared/buffer-budget.ts'
import type { Cancellation } from './cancellation.ts'

/** Read it to its end, or dump it, or destroy it: until then it holds its connection. */
export interface UpstreamBody extends AsyncIterableIterator<Buffer, undefined> {
  /**
   * The bytes that have come; ask once at a time. Rejects with `upstream_invalid_response` when the answer breaks off, with
   * the reason of the call's signal when that fires.
   */
  next(): Promise<IteratorResult<Buffer, undefined>>
  /** The same as {@link destroy}: what leaving a `for await` does. */
  return(): Promise<IteratorResult<Buffer, undefined>>
  /** Ends the answer and its connection; what was not read is lost. */
  destroy(): void
  /** Lets a short rest run out unread, so that the connection can serve again; a longer one is destroyed. */
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
  /** Makes one call; resolves when the head of its answer is there. */
  send(request: UpstreamRequest, cancellation: Cancellation): Promise<UpstreamAnswer>
}

/** Every other call. */
export interface OutboundCalls {
  /** One call, JSON in, JSON out. A status of any kind is an answer. */
  fetchJson(request: OutboundRequest, signal: AbortSignal, held?: HeldBuffer): Promise<OutboundAnswer>
  /** One call of a provider, bytes in, bytes out. A status of any kind is an answer. */
  fetch(request: ProviderFetch, signal?: AbortSignal, held?: HeldBuffer): Promise<ProviderFetchAnswer>
}

/** Which hosts may be called. */
export interface HostCheck {
  /** Null when the URL may be used as far as can be known without DNS, else why not (a clause that follows a name). */
  checkUrl(url: string | URL): string | null
  /** Whether the URL's host is an address that `security.trusted_hosts` lists; a name never is, but for localhost. */
  isTrusted(url: string): boolean
  /** Resolves a host and checks all that comes back; rejects with `host_not_allowed`, or as the resolver did. */
  resolve(hostname: string): Promise<LookupAddress[]>
}
