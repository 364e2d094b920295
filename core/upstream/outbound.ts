/**
 * Outbound calls other than inference (guardrail vendors, webhooks, token exchange, images to inline): over got,
 * through the host guard. No retries, no cookies. Redirects of GET and HEAD are followed, each hop checked like the
 * first. Errors: `host_not_allowed`, `dependency_unavailable`; the signal's reason when the caller's signal fires.
 */
import { GatewayError, isGatewayError, type ProviderFetch, type ProviderFetchAnswer } from '@gateway/contract'
import { type HeldBuffer, type OutboundCalls, uncounted } from '@gateway/flow'
import type { Got } from 'got'
import { type Agents, createAgents, plainAgents } from './connector.ts'
import { type HostGuard, hostNotAllowed } from './host-guard.ts'
import { plainHeaders } from './transfer.ts'

export interface Outbound extends OutboundCalls {
  /** Closes the connections. */
  close(): void
}

const defaultTimeoutMs = 10_000
const defaultMaxBytes = 1_048_576
const maxHops = 3
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function createOutbound(guard: HostGuard): Outbound {
  const agents = createAgents(guard)
  let client: Promise<Got> | null = null
  const load = () => {
    client ??= loadClient(agents)
    return client
  }
  return {
    async fetchJson({ json, ...request }, signal, held = uncounted) {
      const body = json === undefined ? undefined : JSON.stringify(json)
      const type = json === undefined ? {} : { 'content-type': 'application/json' }
      const call = { ...request, body, headers: { ...type, ...request.headers } }
      const answer = await follow(await load(), guard, { request: call, signal, held })
      return { status: answer.status, headers: answer.headers, json: readJson(answer.bytes) }
    },
    async fetch(request, signal, held = uncounted) {
      return request.isAmbient === true
        ? fetchAmbient(await load(), request, signal)
        : follow(await load(), guard, { request, signal, held })
    },
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

interface CallBounds {
  signal: AbortSignal | undefined
  /** The limit on the body. */
  held: HeldBuffer
}

/** got takes a while to load, and many gateways never call out. */
async function loadClient(agents: Agents): Promise<Got> {
  const { default: got } = await import('got')
  return got.extend({
    agent: agents,
    retry: { limit: 0 },
    throwHttpErrors: false,
    responseType: 'buffer',
    // got discards the body of a redirect without a limit, and reads all of it before it reports an error.
    followRedirect: false,
    headers: { 'user-agent': 'gateway' },
  })
}

/** A call and its redirects, within one time limit. */
async function follow(
  client: Got,
  guard: HostGuard,
  { request, signal, held }: CallBounds & { request: ProviderFetch },
): Promise<ProviderFetchAnswer> {
  const endsAt = performance.now() + (request.timeoutMs ?? defaultTimeoutMs)
  let next: ProviderFetch = request
  for (let hops = 0; hops <= maxHops; hops += 1) {
    const reason = guard.checkUrl(next.url)
    if (reason !== null) throw hostNotAllowed(reason)
    const answer = await exchangeOnce(client, next, { timeoutMs: endsAt - performance.now(), signal, held })
    const target = redirectTarget(next, answer)
    if (target === null) return answer
    next = target
  }
  throw unavailable('A called service redirected too often.')
}

/** A metadata service of the gateway's own machine: without the guard, and redirects are returned. */
const fetchAmbient = (client: Got, request: ProviderFetch, signal?: AbortSignal) =>
  exchangeOnce(client.extend({ agent: plainAgents }), request, {
    timeoutMs: request.timeoutMs ?? defaultTimeoutMs,
    signal,
    held: uncounted,
  })

async function exchangeOnce(
  client: Got,
  request: ProviderFetch,
  { timeoutMs, signal, held }: CallBounds & { timeoutMs: number },
): Promise<ProviderFetchAnswer> {
  signal?.throwIfAborted()
  const { method, url, headers, body = '', maxBytes = defaultMaxBytes } = request
  const call = client(url, {
    method,
    headers: { ...headers },
    ...(signal === undefined ? {} : { signal }),
    timeout: { request: Math.max(Math.ceil(timeoutMs), 1) },
    ...(isRead(request) ? {} : { body }),
  })
  let refused: unknown = null
  call.on('downloadProgress', ({ transferred }) => {
    try {
      if (transferred > maxBytes) call.cancel()
      else held.resize(transferred)
    } catch (error) {
      refused = error
      call.cancel()
    }
  })
  try {
    const answer = await call
    return { status: answer.statusCode, headers: plainHeaders(answer.headers), bytes: answer.rawBody }
  } catch (error) {
    held.resize(0)
    if (signal?.aborted === true) throw signal.reason
    if (refused !== null) throw refused
    throw asFault(error)
  }
}

/** The next URL of a GET or HEAD; null if this is the answer. Another origin gets none of the caller's headers. */
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

/** Sent without a body, and repeated at another URL after a redirect. */
const isRead = ({ method }: ProviderFetch): boolean => method === 'GET' || method === 'HEAD'

function readJson(body: Buffer): unknown {
  if (body.length === 0) return null
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

/** Recognised by name, because got is loaded on demand; got wraps the errors of the guard. */
function asFault(error: unknown): GatewayError {
  if (isGatewayError(error)) return error
  if (!(error instanceof Error)) return unavailable('A called service could not be reached.', error)
  if (isGatewayError(error.cause)) return error.cause
  return unavailable(messages[error.name] ?? 'A called service could not be reached.', error)
}

const messages: Readonly<Record<string, string>> = {
  TimeoutError: 'A called service did not answer in time.',
  CancelError: 'A called service returned too large an answer.',
}

function unavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError('dependency_unavailable', message, { cause })
}
