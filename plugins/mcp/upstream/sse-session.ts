/**
 * The older transport, HTTP with SSE: one stream of events delivers all messages of the upstream; messages to it are
 * posted to the address in its first event. https://modelcontextprotocol.io/specification/2024-11-05/basic/transports
 */
import { GatewayError, type JsonObject, type UpstreamStream } from '@gateway/contract'
import { errorMessage, type RpcRequest, rpcCodes } from '../messages.ts'
import { messagesIn, type SendContext } from './exchange.ts'
import { readInfo } from './http-session.ts'
import { UpstreamRefusal } from './refusal.ts'
import { type CallIo, clientInfo, type Session } from './session.ts'
import { SessionLost, type UpstreamTarget, UpstreamUnauthorized } from './target.ts'

/** Messages for one call, in order of arrival. */
interface Inbox {
  messages: JsonObject[]
  wake(): void
}

interface Link {
  context: SendContext
  target: UpstreamTarget
  /** The address for posting messages. */
  endpoint: string
  inboxes: Map<number, Inbox>
  /** The reason why the stream ended; null while it is open. */
  ended: unknown
  stop: AbortController
}

/** The version of this transport. An upstream may answer with a later one. */
const version = '2024-11-05'

export async function openSseSession(
  context: SendContext,
  target: UpstreamTarget,
  io: CallIo,
): Promise<Session> {
  const stop = new AbortController()
  const abort = () => stop.abort(io.signal.reason)
  io.signal.addEventListener('abort', abort, { once: true })
  const link: Link = { context, target, endpoint: '', inboxes: new Map(), ended: null, stop }
  try {
    await openStream(link, io)
    let nextId = 0
    const params = { protocolVersion: version, capabilities: {}, clientInfo }
    let answer: JsonObject | null = null
    for await (const message of call(link, nextId++, {
      request: { id: 0, method: 'initialize', params },
      io,
    }))
      answer = message
    const info = readInfo(answer)
    await post(link, { jsonrpc: '2.0', method: 'notifications/initialized', params: {} }, io)
    return {
      info,
      call: (request, callIo) => call(link, nextId++, { request, io: callIo }),
      close: () => stop.abort(new SessionLost()),
    }
  } catch (error) {
    stop.abort(error)
    throw error
  } finally {
    io.signal.removeEventListener('abort', abort)
  }
}

/** Resolves when the upstream has sent the address for messages; reads until the stream ends. */
async function openStream(link: Link, io: CallIo): Promise<void> {
  const { url } = link.target.integration.data
  const answer: UpstreamStream = await link.context.send(
    {
      method: 'GET',
      url,
      headers: { ...link.target.headers, ...io.headers, accept: 'text/event-stream' },
      body: null,
    },
    link.stop.signal,
  )
  if (answer.status === 401) {
    answer.dump()
    throw new UpstreamUnauthorized(answer.headers['www-authenticate'] ?? null)
  }
  if (answer.status >= 300) {
    answer.dump()
    throw new UpstreamRefusal(answer.status)
  }
  const events = answer.events()
  const first = await events.next()
  if (first.done === true || first.value.event !== 'endpoint')
    throw new GatewayError(
      'upstream_invalid_response',
      'The MCP server did not send the address for messages as its first event.',
    )
  link.endpoint = endpointOf(url, first.value.data)
  void read(link, events)
}

/** Credentials are sent only to the origin that they were stored for. */
function endpointOf(url: string, written: string): string {
  const found = URL.canParse(written, url) ? new URL(written, url) : null
  if (found === null || found.origin !== new URL(url).origin)
    throw new GatewayError(
      'upstream_invalid_response',
      'The MCP server names an address for messages at another origin, which is not allowed.',
    )
  return found.href
}

async function read(link: Link, events: AsyncIterable<{ data: string }>): Promise<void> {
  try {
    for await (const { data } of events) for (const message of messagesIn(data)) deliver(link, message)
    link.ended = new SessionLost()
  } catch (error) {
    link.ended = error instanceof GatewayError ? new SessionLost() : error
  }
  for (const inbox of link.inboxes.values()) inbox.wake()
}

function deliver(link: Link, message: JsonObject): void {
  if (message.method === undefined) {
    push(link.inboxes.get(Number(message.id)), message)
    return
  }
  if (message.id !== undefined) {
    const id = typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
    const fault = {
      code: rpcCodes.unknownMethod,
      message: 'The gateway does not forward requests to its clients.',
    }
    post(link, errorMessage(id, fault), { signal: link.stop.signal }).catch(() => undefined)
    return
  }
  // Progress with a token of the gateway belongs to that token's call; every other message goes to all waiting calls.
  const params = message.params as JsonObject | undefined
  const token = params?.progressToken
  if (token !== undefined) push(link.inboxes.get(Number(token)), message)
  else for (const inbox of link.inboxes.values()) push(inbox, message)
}

function push(inbox: Inbox | undefined, message: JsonObject): void {
  inbox?.messages.push(message)
  inbox?.wake()
}

async function* call(
  link: Link,
  id: number,
  { request, io }: { request: RpcRequest; io: CallIo },
): AsyncGenerator<JsonObject> {
  if (link.ended !== null) throw link.ended
  let wake: () => void = () => undefined
  const inbox: Inbox = { messages: [], wake: () => wake() }
  link.inboxes.set(id, inbox)
  const { params, token } = withToken(request, id)
  const onAbort = () => inbox.wake()
  io.signal.addEventListener('abort', onAbort, { once: true })
  let isAnswered = false
  try {
    await post(link, { jsonrpc: '2.0', id, method: request.method, params }, io)
    for (;;) {
      for (const message of inbox.messages.splice(0)) {
        if (message.method === undefined) {
          isAnswered = true
          yield message
          return
        }
        yield token === undefined ? message : withOwnToken(message, token)
      }
      if (io.signal.aborted) throw io.signal.reason
      if (link.ended !== null) throw link.ended
      await new Promise<void>((resolve) => {
        wake = resolve
        if (inbox.messages.length > 0 || io.signal.aborted || link.ended !== null) resolve()
      })
    }
  } finally {
    io.signal.removeEventListener('abort', onAbort)
    link.inboxes.delete(id)
    if (!isAnswered && io.signal.aborted && link.ended === null) {
      const cancelled = { requestId: id, reason: 'The client disconnected.' }
      const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled }
      post(link, message, { signal: link.stop.signal }).catch(() => undefined)
    }
  }
}

/** One stream serves many callers, so each call gets its own progress token. */
function withToken({ params }: RpcRequest, id: number): { params: JsonObject; token: JsonObject[string] } {
  const meta = params._meta as JsonObject | undefined
  const token = meta?.progressToken
  return token === undefined
    ? { params, token: undefined }
    : { params: { ...params, _meta: { ...meta, progressToken: id } }, token }
}

function withOwnToken(message: JsonObject, token: JsonObject[string]): JsonObject {
  const params = message.params as JsonObject | undefined
  return params?.progressToken === undefined
    ? message
    : { ...message, params: { ...params, progressToken: token } }
}

async function post(link: Link, message: JsonObject, io: CallIo): Promise<void> {
  const answer = await link.context.send(
    {
      method: 'POST',
      url: link.endpoint,
      headers: { ...link.target.headers, ...io.headers, 'content-type': 'application/json' },
      body: JSON.stringify(message),
    },
    io.signal,
  )
  answer.dump()
  if (answer.status === 401) throw new UpstreamUnauthorized(answer.headers['www-authenticate'] ?? null)
  if (answer.status === 404) throw new SessionLost()
  if (answer.status >= 300) throw new UpstreamRefusal(answer.status)
}
