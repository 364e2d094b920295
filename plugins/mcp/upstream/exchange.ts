/**
 * One message to an upstream over HTTP: a POST, answered with JSON or a stream of events.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
import {
  GatewayError,
  isDeeperThan,
  isObject,
  type JsonObject,
  parseJson,
  type ServiceContext,
  type UpstreamStream,
} from '@gateway/contract'
import { errorMessage, maxDepth, type RpcRequest, rpcCodes } from '../messages.ts'
import { readAll } from './read-all.ts'
import { readRefusal, UpstreamRefusal } from './refusal.ts'
import type { CallIo } from './session.ts'
import { SessionLost, type UpstreamTarget, UpstreamUnauthorized } from './target.ts'

export type SendContext = ServiceContext<'log' | 'send'>

/** The connection to an upstream, with or without a session. */
export interface Link {
  context: SendContext
  target: UpstreamTarget
  sessionId: string | null
  version: string | null
  /** Whether the session has served a call: if a later call is refused, the session may be lost. */
  isProven: boolean
  /** Whether a call is cancelled with a message; otherwise by closing its connection. */
  tellsCancel: boolean
}

/** The limit for an answer that is not a stream. */
const maxAnswerBytes = 32 * 1_048_576

export function headersOf({ target, sessionId, version }: Link, io: CallIo): Record<string, string> {
  return {
    ...target.headers,
    ...io.headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(sessionId === null ? {} : { 'mcp-session-id': sessionId }),
    ...(version === null ? {} : { 'mcp-protocol-version': version }),
  }
}

/** Returns an answer that contains messages. Throws for any other. */
async function post(link: Link, message: JsonObject, io: CallIo): Promise<UpstreamStream> {
  const request = {
    method: 'POST' as const,
    url: link.target.integration.data.url,
    headers: headersOf(link, io),
    body: JSON.stringify(message),
  }
  const answer = await link.context.send(request, io.signal)
  const { status, headers } = answer
  if (status < 300) {
    link.sessionId ??= headers['mcp-session-id'] ?? null
    return answer
  }
  if (status === 401) {
    answer.dump()
    throw new UpstreamUnauthorized(headers['www-authenticate'] ?? null)
  }
  // Some servers answer 400 instead of 404 for a session that they have lost.
  if (link.sessionId !== null && (status === 404 || (status === 400 && link.isProven))) {
    answer.dump()
    throw new SessionLost()
  }
  throw await readRefusal(answer)
}

/** Yields notifications of a call as they arrive, and its answer last. */
export async function* call(link: Link, request: RpcRequest, io: CallIo): AsyncGenerator<JsonObject> {
  const { id, method, params } = request
  let isAnswered = false
  try {
    const answer = await post(link, { jsonrpc: '2.0', id, method, params }, io)
    const type = answer.headers['content-type'] ?? ''
    const messages = type.includes('text/event-stream') ? streamed(answer) : whole(answer)
    for await (const message of messages) {
      if (message.id === id && message.method === undefined) {
        isAnswered = true
        link.isProven = method !== 'initialize'
        yield message
        return
      }
      if (typeof message.method !== 'string') continue
      if (message.id === undefined) yield message
      else void refuse(link, message, io)
    }
    throw new GatewayError('upstream_invalid_response', 'The MCP server ended its answer without a result.')
  } catch (error) {
    // A JSON-RPC error for this request is an answer, with any HTTP status.
    if (!(error instanceof UpstreamRefusal) || error.rpcError?.id !== id) throw error
    isAnswered = true
    yield error.rpcError
  } finally {
    if (!isAnswered && io.signal.aborted && link.tellsCancel && method !== 'initialize') void cancel(link, id)
  }
}

/** The messages of a body: one or several. */
async function* whole(answer: UpstreamStream): AsyncGenerator<JsonObject> {
  const text = (await readAll(answer.body, maxAnswerBytes)).toString('utf8')
  yield* messagesIn(text)
}

async function* streamed(answer: UpstreamStream): AsyncGenerator<JsonObject> {
  for await (const { data } of answer.events()) if (data !== '') yield* messagesIn(data)
}

/** Throws `upstream_invalid_response` for a text that is not JSON-RPC. */
export function messagesIn(text: string): JsonObject[] {
  const unreadable = () =>
    new GatewayError('upstream_invalid_response', 'The MCP server sent an answer that is not JSON-RPC.')
  const parsed = parseJson(text)
  if (isDeeperThan(parsed, maxDepth)) throw unreadable()
  const list: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  const messages = list.filter((one): one is JsonObject => isObject(one))
  if (messages.length === 0 || messages.length < list.length) throw unreadable()
  return messages
}

export async function notify(
  link: Link,
  method: string,
  { params, io }: { params: JsonObject; io: CallIo },
): Promise<void> {
  const answer = await post(link, { jsonrpc: '2.0', method, params }, io)
  answer.dump()
}

/** Refuses a request of the upstream to the client, which has no session to receive it. */
async function refuse(link: Link, { id }: JsonObject, io: CallIo): Promise<void> {
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  const message = 'The gateway does not forward requests to its clients.'
  await quietly(link, errorMessage(known, { code: rpcCodes.unknownMethod, message }), io)
}

export const goodbyeMs = 5000

async function cancel(link: Link, requestId: RpcRequest['id']): Promise<void> {
  const params = { requestId, reason: 'The client disconnected.' }
  const io = { signal: AbortSignal.timeout(goodbyeMs) }
  await quietly(link, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, io)
}

async function quietly(link: Link, message: JsonObject, io: CallIo): Promise<void> {
  try {
    ;(await post(link, message, io)).dump()
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'error'
    link.context.log.info(
      { integration: link.target.integration.slug, reason },
      'failed to notify an MCP server',
    )
  }
}
