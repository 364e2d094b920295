/**
 * The client endpoints `POST /{slug}/mcp`, `/{workspace}/{slug}/mcp` and `/v1/mcp/{slug}`: streamable HTTP without
 * sessions. Order: origin, credential, scope, server, body, call. HTTP errors have the format of every other route;
 * errors in a message are JSON-RPC errors.
 */
import {
  describeJsonFault,
  eventStream,
  GatewayError,
  hasPrototypeKey,
  isDeeperThan,
  isGatewayError,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  type Route,
  type ServiceAnswer,
  type ServiceRequest,
} from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import {
  errorMessage,
  maxDepth,
  RpcFault,
  type RpcId,
  type RpcRequest,
  readMessage,
  rpcCodes,
} from '../messages.ts'
import type { McpRuntime } from '../runtime.ts'
import { checkJwt } from './check-jwt.ts'
import { dispatch, type Replies } from './dispatch.ts'
import { createInFlightCalls, type InFlightCalls } from './in-flight.ts'
import { checkOrigin } from './origin.ts'
import { asStateless, discovered, isStateless, isWanted, readStateless } from './stateless.ts'
import { readVersion } from './version.ts'
import { openVisit, type Visit } from './visit.ts'

const paths = ['/v1/mcp/:slug', '/:slug/mcp', '/:workspace/:slug/mcp'] as const

/** A JSON-RPC 2.0 response, or a notification within a stream. https://www.jsonrpc.org/specification */
const rpcMessage = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
    method: Type.Optional(Type.String()),
    params: Type.Optional(Type.Object({}, { additionalProperties: true })),
    result: Type.Optional(Type.Object({}, { additionalProperties: true })),
    error: Type.Optional(
      Type.Object({ code: Type.Integer(), message: Type.String() }, { additionalProperties: true }),
    ),
  },
  { title: 'JsonRpcMessage', additionalProperties: true },
)

export function clientRoutes(runtime: McpRuntime): Route[] {
  const [path, ...aliases] = paths
  const calls = createInFlightCalls()
  return [
    {
      method: 'POST',
      path,
      aliases,
      operationId: 'mcpCall',
      answer: rpcMessage,
      event: rpcMessage,
      summary: 'Sends a JSON-RPC message of the Model Context Protocol to an MCP server',
      tag: 'MCP',
      scope: 'mcp.invoke',
      authenticates: true,
      media: { body: ['application/json'], answer: ['application/json', 'text/event-stream'] },
      handle: (request) => serve(runtime, calls, request),
    },
  ]
}

async function serve(
  runtime: McpRuntime,
  calls: InFlightCalls,
  request: ServiceRequest,
): Promise<ServiceAnswer> {
  checkOrigin(runtime, request)
  const visit = await openVisit(runtime, request)
  await checkJwt(visit)
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json(?:;|$)/i.test(type.trim()))
    throw new GatewayError('unsupported_media_type', 'Send a JSON-RPC message as application/json.')
  try {
    const body = readJson(await request.readBody())
    return Array.isArray(body) ? await serveBatch(visit, calls, body) : await serveOne(visit, calls, body)
  } catch (error) {
    return faultAnswer(null, error)
  }
}

function readJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  const body = parseJson(text)
  if (body === undefined)
    throw new RpcFault(rpcCodes.parse, `The body ${describeJsonFault(text)}.`, { status: 400 })
  const invalid = (message: string) => new RpcFault(rpcCodes.invalidRequest, message, { status: 400 })
  if (isDeeperThan(body, maxDepth))
    throw invalid(`The body must not be nested deeper than ${maxDepth} levels.`)
  if (hasPrototypeKey(body)) throw invalid('The body must not have the key "__proto__".')
  return body
}

async function serveOne(visit: Visit, calls: InFlightCalls, body: unknown): Promise<ServiceAnswer> {
  const { request, note } = readMessage(body)
  if (request === null) {
    readVersion(visit.request, null)
    recorded(visit, note?.method ?? null, { tool: null, message: body })
    calls.note(visit, note)
    return accepted
  }
  const logged = recorded(visit, request.method, { tool: toolOf(request), message: body })
  try {
    if (isStateless(logged.request, request)) return await answerStateless(logged, calls, request)
    readVersion(logged.request, request)
    const replies = calls.track(logged, request.id, dispatch(logged, request))
    return await answerOf(logged, request, replies)
  } catch (error) {
    const answer = faultAnswer(request.id, error)
    logged.record.response = answer.body
    return answer
  }
}

/** The visit for one message, which ends separately and has its own log entry. */
function recorded(
  visit: Visit,
  method: string | null,
  { tool, message }: { tool: string | null; message: unknown },
): Visit {
  const fields = {
    mcp_server: visit.place.server.slug,
    mcp_method: method?.slice(0, 255) ?? null,
    mcp_tool: tool,
  }
  // The message was parsed from JSON.
  const record: Visit['record'] = { endpoint_type: 'mcp', fields, request: message as Json, response: null }
  visit.request.dataPath.record(record)
  return { ...visit, record, controller: new AbortController() }
}

const accepted: ServiceAnswer = { status: 202, body: { text: '' } }

/** The same for the stateless protocol: converts the request to the older form and its answer back. */
function answerStateless(visit: Visit, calls: InFlightCalls, request: RpcRequest): Promise<ServiceAnswer> {
  const older = readStateless(visit.request, request)
  const isDiscovery = older.method === 'server/discover'
  const asked = isDiscovery ? { ...older, method: 'initialize' } : older
  const replies = calls.track(visit, request.id, dispatch(visit, asked))
  return answerOf(visit, request, translated(replies, older))
}

async function* translated(replies: Replies, request: RpcRequest): AsyncGenerator<JsonObject> {
  const { method } = request
  for await (const message of replies) {
    if (!isWanted(message, request)) continue
    const { result } = message
    const isDescription = method === 'server/discover' && isObject(result)
    yield message.method === undefined
      ? asStateless(method, isDescription ? { ...message, result: discovered(result) } : message)
      : message
  }
}

/** Answers as JSON if the first message is the answer, otherwise as events. */
async function answerOf(visit: Visit, request: RpcRequest, replies: Replies): Promise<ServiceAnswer> {
  const reader = replies[Symbol.asyncIterator]()
  const first = await reader.next()
  if (first.done === true)
    throw new RpcFault(rpcCodes.internal, 'The MCP server ended the call without an answer.', { status: 502 })
  if (first.value.method === undefined) {
    visit.record.response = first.value
    await reader.return?.()
    return { status: 200, body: first.value }
  }
  if (!acceptsEvents(visit.request)) return { status: 200, body: await lastOf(visit, reader) }
  const events = eventsOf(visit, request.id, { first: first.value, reader })
  return eventStream(events, { signal: visit.request.signal })
}

const acceptsEvents = ({ headers }: ServiceRequest) => /text\/event-stream|\*\/\*/.test(headers.accept ?? '')

async function lastOf({ record }: Visit, reader: AsyncIterator<JsonObject>): Promise<JsonObject> {
  for (;;) {
    const next = await reader.next()
    if (next.done === true)
      throw new RpcFault(rpcCodes.internal, 'The MCP server ended the call without an answer.', {
        status: 502,
      })
    if (next.value.method !== undefined) continue
    record.response = next.value
    return next.value
  }
}

/** After the response headers, an error can only be sent as the last event. */
async function* eventsOf(
  visit: Visit,
  id: RpcId,
  { first, reader }: { first: JsonObject; reader: AsyncIterator<JsonObject> },
) {
  try {
    yield { event: 'message', data: first }
    for (;;) {
      const next = await reader.next()
      if (next.done === true) return
      if (next.value.method === undefined) visit.record.response = next.value
      yield { event: 'message', data: next.value }
    }
  } catch (error) {
    if (visit.request.signal.aborted) throw error
    const data = errorMessage(id, toFault(error))
    visit.record.response = data
    yield { event: 'message', data }
  } finally {
    await reader.return?.()
  }
}

/** Batches exist only in 2025-03-26; the answers are one array. */
async function serveBatch(
  visit: Visit,
  calls: InFlightCalls,
  batch: readonly unknown[],
): Promise<ServiceAnswer> {
  if (batch.length === 0 || batch.length > maxBatch)
    throw new RpcFault(rpcCodes.invalidRequest, `A batch must have 1 to ${maxBatch} messages.`, {
      status: 400,
    })
  const messages = batch.map(readMessage)
  const requests = messages.flatMap(({ request }) => (request === null ? [] : [request]))
  if (readVersion(visit.request, null) !== '2025-03-26')
    throw new RpcFault(rpcCodes.invalidRequest, 'This protocol version does not support batches.', {
      status: 400,
    })
  if (requests.some(({ method }) => method === 'initialize'))
    throw new RpcFault(rpcCodes.invalidRequest, '"initialize" cannot be in a batch.', { status: 400 })
  for (const { note } of messages) if (note !== null) calls.note(visit, note)
  if (requests.length === 0) return accepted
  const answers = await Promise.all(
    messages.flatMap(({ request }, index) =>
      request === null ? [] : [batchAnswer(visit, calls, { request, message: batch[index] })],
    ),
  )
  return { status: 200, body: answers }
}

const maxBatch = 50

async function batchAnswer(
  visit: Visit,
  calls: InFlightCalls,
  { request, message }: { request: RpcRequest; message: unknown },
): Promise<JsonObject> {
  const logged = recorded(visit, request.method, { tool: toolOf(request), message })
  try {
    const replies: Replies = calls.track(logged, request.id, dispatch(logged, request))
    return await lastOf(logged, replies[Symbol.asyncIterator]())
  } catch (error) {
    const answer = errorMessage(request.id, toFault(error))
    logged.record.response = answer
    return answer
  }
}

const toolOf = ({ method, params }: RpcRequest): string | null =>
  method === 'tools/call' && typeof params.name === 'string' ? params.name.slice(0, 255) : null

/** Errors without an equivalent in the protocol use the gateway's format. */
function faultAnswer(id: RpcId | null, error: unknown): { status: number; body: JsonObject } {
  if (!(error instanceof RpcFault)) throw error
  return { status: error.status, body: errorMessage(id, error) }
}

function toFault(error: unknown): RpcFault {
  if (error instanceof RpcFault) return error
  if (!isGatewayError(error)) throw error
  return new RpcFault(rpcCodes.internal, error.message, { data: { code: error.code } })
}
