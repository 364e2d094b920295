/**
 * The client endpoints: `/v1/agent/{slug}` for JSON-RPC, `/v1/agent/{slug}/…` for REST, and the card below
 * `.well-known`. Bodies are forwarded unchanged with the integration's credential; the card gets the gateway's own
 * URLs.
 */

import {
  GatewayError,
  type Identity,
  isGatewayError,
  isObject,
  type Json,
  type JsonObject,
  type Route,
  type ServiceAnswer,
  type ServiceCallRecord,
  type ServiceRequest,
  type UpstreamStream,
} from '@gateway/contract'
import { isUsable, mayUse } from '@gateway/control-plane/remote-servers'
import { unknownName } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { interfaceUrl, knownCard, rewriteCard } from './card.ts'
import type { Directory, Place } from './directory.ts'
import { logged, readLogged } from './logged.ts'
import { checkedBody, type Interface, isEventStream, readJson } from './read-answer.ts'
import { type AgentRuntime, callAgent } from './upstream.ts'

interface Served extends AgentRuntime {
  directory: Directory
}

interface Visit {
  served: Served
  request: ServiceRequest
  identity: Identity
  place: Place
  /** The log entry of this call. */
  record: ServiceCallRecord
}

const root = '/v1/agent/:slug'

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

/** An object of the REST interface: a task, a message, or an event of a stream. */
const restEvent = Type.Object(
  {
    task: Type.Optional(Type.Object({}, { additionalProperties: true })),
    message: Type.Optional(Type.Object({}, { additionalProperties: true })),
    statusUpdate: Type.Optional(Type.Object({}, { additionalProperties: true })),
    artifactUpdate: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'AgentStreamEvent', additionalProperties: true },
)

export function clientRoutes(served: Served): Route[] {
  const shared = {
    tag: 'Agents',
    scope: 'agents.invoke',
    authenticates: true,
    media: { body: ['application/json'], answer: ['application/json', 'text/event-stream'] },
  }
  const visiting = (serve: (visit: Visit) => Promise<ServiceAnswer>) => async (request: ServiceRequest) =>
    serve(await openVisit(served, request))
  const cardRoute = (method: 'GET' | 'POST'): Route => ({
    ...shared,
    method,
    path: `${root}/.well-known/agent-card.json`,
    aliases: [`${root}/.well-known/agent.json`],
    operationId: method === 'GET' ? 'agentCard' : 'agentCardPost',
    media: {},
    summary: 'Returns the card of an agent with the URLs of the gateway',
    handle: visiting(serveCard),
  })
  const restRoute = (method: 'GET' | 'POST' | 'PUT' | 'DELETE'): Route => ({
    ...shared,
    method,
    path: `${root}/*path`,
    operationId: `agentRest${method}`,
    event: restEvent,
    summary: 'Calls an agent through the REST interface of A2A',
    handle: visiting(serveRest),
  })
  return [
    {
      ...shared,
      method: 'POST',
      path: root,
      operationId: 'agentCall',
      answer: rpcMessage,
      event: rpcMessage,
      summary: 'Calls an agent through the JSON-RPC interface of A2A',
      handle: visiting(serveRpc),
    },
    cardRoute('GET'),
    cardRoute('POST'),
    ...(['GET', 'POST', 'PUT', 'DELETE'] as const).map(restRoute),
  ]
}

/** Errors: 401, 403 for scopes and users, 404 for servers that the caller cannot see. */
async function openVisit(served: Served, request: ServiceRequest): Promise<Visit> {
  const { slug = '' } = request.params
  let found: Place | null = null
  const identity = await request.authenticate({
    workspace: request.query.workspace_id,
    async workspaceOf({ organisationId }) {
      found = await served.directory.find(organisationId, slug)
      return found?.server.workspace_id ?? null
    },
  })
  const unknown = async () => {
    const { scopes, workspaceId } = identity
    const mayList = workspaceId !== '' && (scopes.has('*') || scopes.has('agent_servers.list'))
    const known = mayList ? await served.directory.slugsIn(workspaceId) : null
    const message = unknownName({ what: 'agent', written: slug, known })
    return new GatewayError('not_found', message, { param: 'path/slug' })
  }
  if (!identity.scopes.has('*') && !identity.scopes.has('agents.invoke')) {
    if (identity.type === 'session' && identity.workspaceId === '' && (await isMember(served, identity)))
      throw await unknown()
    throw new GatewayError('missing_scope', 'This credential lacks the scope agents.invoke.', {
      param: 'agents.invoke',
    })
  }
  const place = found ?? (await served.directory.find(identity.organisationId, slug))
  if (place === null || place.server.workspace_id !== identity.workspaceId) throw await unknown()
  if (!isUsable(place.integration, identity.workspaceId))
    throw new GatewayError('forbidden', 'The integration of this agent is not enabled for its workspace.')
  if (!mayUse(place.server.data, identity.userId))
    throw new GatewayError('forbidden', 'Your access to this agent is disabled.')
  const record: ServiceCallRecord = { endpoint_type: 'agent', fields: {}, request: null, response: null }
  request.dataPath.record(record)
  return { served, request, identity, place, record }
}

/**
 * Whether the caller is a member of any workspace: then the agent does not exist for them, rather than the scope being
 * missing.
 */
async function isMember({ context }: Served, { organisationId, userId, role }: Identity): Promise<boolean> {
  if (userId === null) return false
  if (role !== 'member') return true
  const filter = { organisation_id: organisationId, statuses: ['active'], attributes: { user_id: [userId] } }
  const { total } = await context.documents.list('member', filter, { offset: 0, limit: 1 })
  return total > 0
}

const ownUrl = ({ served, place }: Visit) =>
  `${served.context.publicUrl()}/v1/agent/${place.server.slug ?? ''}`

const cardOf = ({ served, place, identity, request }: Visit) =>
  knownCard(served, place.integration, { workspaceId: identity.workspaceId, signal: request.signal })

async function serveCard(visit: Visit): Promise<ServiceAnswer> {
  const { integration, server } = visit.place
  return { status: 200, body: rewriteCard(await cardOf(visit), integration, { server, url: ownUrl(visit) }) }
}

const cardMethods: ReadonlySet<string> = new Set([
  'agent/getAuthenticatedExtendedCard',
  'GetExtendedAgentCard',
])

async function serveRpc(visit: Visit): Promise<ServiceAnswer> {
  const { request, place } = visit
  const body = await request.readBody()
  const { id, method, message } = peek(body)
  visit.record.request = message
  try {
    const url = interfaceUrl(await cardOf(visit), place.integration, {
      binding: 'JSONRPC',
      clientVersion: versionOf(request),
    })
    const answer = await send(visit, { method: 'POST', url, body, name: method === '' ? 'other' : method })
    const { status } = answer
    // Headers that request another credential, or redirect, are not forwarded to the client.
    if (status >= 500 || (status >= 300 && status < 400) || status === 401 || status === 403) {
      answer.dump()
      throw new GatewayError('upstream_unreachable', `The agent answered with status ${status}.`)
    }
    const spoken = 'JSONRPC'
    return cardMethods.has(method)
      ? await rewritten(visit, answer, spoken)
      : await passOn(visit, answer, spoken)
  } catch (error) {
    const answer = rpcFault(id, error)
    visit.record.response = answer.body
    return answer
  }
}

/** Clients send the version in a header, or in the query if they cannot set one. */
const versionOf = ({ headers, query }: ServiceRequest) => headers['a2a-version'] ?? query['A2A-Version']

interface Peeked {
  id: string | number | null
  method: string
  /** Parsed for the log. */
  message: Json
}

/** Reads the method of the caller's message, which is forwarded unchanged. */
function peek(body: Buffer): Peeked {
  const parsed = readLogged(body)
  const { id, method } = isObject(parsed) ? parsed : {}
  return {
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    method: typeof method === 'string' ? method : '',
    message: parsed,
  }
}

const upstreamCodes: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_invalid_response',
  'upstream_error',
  'host_not_allowed',
  'dependency_unavailable',
])

function rpcFault(id: Peeked['id'], error: unknown): { status: number; body: JsonObject } {
  if (!isGatewayError(error)) throw error
  const isLate = error.code === 'request_timeout'
  if (!isLate && !upstreamCodes.has(error.code)) throw error
  const fault = { code: isLate ? -32001 : -32603, message: error.message, data: { code: error.code } }
  return { status: isLate ? 408 : 502, body: { jsonrpc: '2.0', id, error: fault } }
}

interface Sent {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  body: Buffer | null
  /** The name in traces. */
  name: string
}

async function send(
  { served, place, identity, request }: Visit,
  { name, ...sent }: Sent,
): Promise<UpstreamStream> {
  await request.dataPath.admitCall()
  const called = { endpoint: 'agent', server: place.server.slug ?? '', method: name, tool: null } as const
  const trace = request.dataPath.trace(called)
  const call = { ...sent, workspaceId: identity.workspaceId, headers: request.headers, extra: trace.headers }
  try {
    const answer = await callAgent(served, place.integration, { agentCall: call, signal: request.signal })
    // A stream lasts as long as the request.
    if (!isEventStream(answer) || answer.status >= 400)
      trace.end(answer.status >= 400 ? String(answer.status) : null)
    return answer
  } catch (error) {
    trace.end(isGatewayError(error) ? error.code : 'error')
    throw error
  }
}

/** Headers of the protocol that are returned to the client. */
const returned = ['a2a-version', 'a2a-extensions', 'x-a2a-extensions']

async function passOn({ record }: Visit, answer: UpstreamStream, spoken: Interface): Promise<ServiceAnswer> {
  const { status, headers } = answer
  const body = await checkedBody(answer, spoken)
  const passed: Record<string, string> = { 'content-type': headers['content-type'] ?? 'application/json' }
  for (const name of returned) if (headers[name] !== undefined) passed[name] = headers[name]
  if (isEventStream(answer)) passed['cache-control'] = 'no-cache'
  return { status, headers: passed, body: { stream: logged(record, body) } }
}

/** A card inside an answer also gets the gateway's URLs. */
async function rewritten(visit: Visit, answer: UpstreamStream, spoken: Interface): Promise<ServiceAnswer> {
  const { integration, server } = visit.place
  const message = await readJson(answer, spoken)
  const change = (card: JsonObject) => rewriteCard(card, integration, { server, url: ownUrl(visit) })
  const body = isObject(message.result) ? { ...message, result: change(message.result) } : message
  visit.record.response = typeof message.name === 'string' ? change(message) : body
  return { status: answer.status, body: visit.record.response }
}

const hidden = /%2e|%2f|%5c|\\/i

/** The raw path after the slug. Errors: 404 for dot segments. */
function restPath({ path }: ServiceRequest): string {
  const rest = path.split('/').slice(4)
  const isPlain =
    !hidden.test(path) && rest.every((segment) => segment !== '.' && segment !== '..' && segment !== '')
  if (!isPlain) throw new GatewayError('not_found', 'Route not found.')
  return rest.join('/')
}

const cardPaths: ReadonlySet<string> = new Set([
  'v1/card',
  'card',
  'extendedAgentCard',
  'v1/extendedAgentCard',
])

async function serveRest(visit: Visit): Promise<ServiceAnswer> {
  const { request, place } = visit
  const rest = restPath(request)
  const base = interfaceUrl(await cardOf(visit), place.integration, {
    binding: 'HTTP+JSON',
    clientVersion: versionOf(request),
  }).replace(/\/+$/, '')
  const method = request.method as 'GET' | 'POST' | 'PUT' | 'DELETE'
  const body = method === 'GET' ? null : await request.readBody()
  if (body !== null && body.length > 0) visit.record.request = readLogged(body)
  const url = `${base}/${rest}${request.search}`
  const sent = body?.length === 0 ? null : body
  const answer = await send(visit, { method, url, body: sent, name: method })
  const { status } = answer
  if ((status >= 300 && status < 400) || status === 401 || status === 403) {
    answer.dump()
    throw new GatewayError('upstream_invalid_response', `The agent answered with status ${status}.`)
  }
  const spoken = 'HTTP+JSON'
  return cardPaths.has(rest) && status === 200
    ? rewritten(visit, answer, spoken)
    : passOn(visit, answer, spoken)
}
