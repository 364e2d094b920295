/**
 * Outbound calls beside inference (guardrail vendors, webhooks, token exchange, images to inline): over got, through
 * the host guard.
 * No retries, no cookies. Redirects of GET and HEAD are followed, each hop checked like the first.
 * Errors: `host_not_allowed`, `dependency_unavailable`; the signal's reason when the caller's signal fires.
 */
import type { IncomingMessage } from 'node:http'
import {
  GatewayError,
  isGatewayError,
  type OutboundAnswer,
  type OutboundRequest,
  type ProviderFetch,
  type ProviderFetchAnswer,
} from '@gateway/contract'
import type { Got } from 'got'
import { createAgents } from './connector.ts'
import { type HostGuard, hostNotAllowed } from './host-guard.ts'
import { plainHeaders } from './transfer.ts'

export interface Outbound {
  /** One call, JSON in, JSON out. A status of any kind is an answer. */
  fetchJson(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer>
  /** One call of a provider, bytes in, bytes out. A status of any kind is an answer. */
  fetch(request: ProviderFetch, signal: AbortSignal): Promise<ProviderFetchAnswer>
  /** Ends the connections. */
  close(): void
}

const defaultTimeoutMs = 10_000
const defaultMaxBytes = 1_048_576
const maxHops = 3
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function createOutbound(guard: HostGuard): Outbound {
  const agents = createAgents(guard)
  let client: Promise<Got> | null = null
  let ambient: Promise<Got> | null = null
  return {
    async fetchJson({ json, ...request }, signal) {
      client ??= loadClient(agents)
      const call = { ...request, body: json === undefined ? undefined : JSON.stringify(json) }
      const headers =
        json === undefined ? request.headers : { 'content-type': 'application/json', ...request.headers }
      const answer = await fetchBytes(await client, guard, { ...call, headers: headers ?? {} }, signal)
      return { status: answer.status, headers: answer.headers, json: readJson(answer.bytes) }
    },
    async fetch(request, signal) {
      if (request.isAmbient === true) {
        ambient ??= loadClient(undefined)
        return fetchBytes(await ambient, null, request, signal)
      }
      client ??= loadClient(agents)
      return fetchBytes(await client, guard, request, signal)
    },
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** got takes a while to load, and many a gateway never calls out. */
async function loadClient(agents: ReturnType<typeof createAgents> | undefined): Promise<Got> {
  const { default: got } = await import('got')
  return got.extend({
    ...(agents === undefined ? {} : { agent: agents }),
    retry: { limit: 0 },
    throwHttpErrors: false,
    // got would leave the body of a redirect to run on; hop() reads and bounds it like any other.
    followRedirect: false,
    headers: { 'user-agent': 'gateway' },
  })
}

async function fetchBytes(
  client: Got,
  guard: HostGuard | null,
  request: ProviderFetch,
  signal: AbortSignal,
): Promise<ProviderFetchAnswer> {
  signal.throwIfAborted()
  const timeout = AbortSignal.timeout(request.timeoutMs ?? defaultTimeoutMs)
  const either = AbortSignal.any([signal, timeout])
  let next: ProviderFetch = request
  try {
    for (let hops = 0; hops <= maxHops; hops += 1) {
      const reason = guard?.checkUrl(next.url) ?? null
      if (reason !== null) throw hostNotAllowed(reason)
      const answer = await hop(client, next, either)
      const target = guard === null ? null : redirectTarget(next, answer)
      if (target === null) return answer
      next = target
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (timeout.aborted) throw unavailable('A called service did not answer in time.', error)
    throw asFault(error)
  }
  throw unavailable('A called service redirected too often.')
}

/** got listens to its signal for ever: one that fires behind the answer would be an error that nobody catches. */
async function hop(client: Got, request: ProviderFetch, signal: AbortSignal): Promise<ProviderFetchAnswer> {
  signal.throwIfAborted()
  const running = new AbortController()
  const stop = () => running.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await exchangeOnce(client, request, running.signal)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function exchangeOnce(
  client: Got,
  request: ProviderFetch,
  signal: AbortSignal,
): Promise<ProviderFetchAnswer> {
  const maxBytes = request.maxBytes ?? defaultMaxBytes
  const stream = client.stream(request.url, {
    method: request.method,
    headers: { ...request.headers },
    signal,
    // Without a body got would wait for one to be piped in.
    ...(isRead(request) ? {} : { body: request.body ?? '' }),
  })
  let head: Omit<ProviderFetchAnswer, 'bytes'> = { status: 0, headers: {} }
  stream.once('response', (response: IncomingMessage) => {
    head = { status: response.statusCode ?? 0, headers: plainHeaders(response.headers) }
  })
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop destroys the stream.
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > maxBytes) throw unavailable('A called service answered more than is allowed.')
    chunks.push(chunk)
  }
  return { ...head, bytes: Buffer.concat(chunks, bytes) }
}

/** Where a GET or HEAD goes next; null when this is the answer. Another origin gets none of the caller's headers. */
function redirectTarget(
  request: ProviderFetch,
  { status, headers }: ProviderFetchAnswer,
): ProviderFetch | null {
  const { location } = headers
  if (!isRead(request) || location === undefined || !redirectStatuses.has(status)) return null
  if (!URL.canParse(location, request.url)) return null
  const url = new URL(location, request.url)
  const isSameOrigin = url.origin === new URL(request.url).origin
  return { ...request, url: url.href, headers: isSameOrigin ? (request.headers ?? {}) : {} }
}

/** Sent without a body, and again elsewhere when it is redirected. */
const isRead = ({ method }: ProviderFetch): boolean => method === 'GET' || method === 'HEAD'

function readJson(body: Buffer): unknown {
  if (body.length === 0) return null
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

/** got wraps what the guard threw. */
function asFault(error: unknown): GatewayError {
  if (isGatewayError(error)) return error
  if (error instanceof Error && isGatewayError(error.cause)) return error.cause
  return unavailable('A called service could not be reached.', error)
}

function unavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError('dependency_unavailable', message, { cause })
}
