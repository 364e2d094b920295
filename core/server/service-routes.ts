/** A route of a service package: its scope, its query and its body are checked before its handler runs. */

import {
  faultReason,
  faultsError,
  GatewayError,
  type Identity,
  isGatewayError,
  isObject,
  parseJson,
  type RewrittenRequest,
  type Route,
  type ServiceAnswer,
} from '@gateway/contract'
import {
  type Answer,
  callerOf,
  createAnswer,
  type Ended,
  ended,
  type Received,
  type Runtime,
  type Scrubbed,
} from '@gateway/flow'
import { emptyStream, primeBytes } from '@gateway/streaming'
import { checkDepth, checkKeys, createValidator, toFaults, type Validator } from '@gateway/validation'
import { notJson } from './read-body.ts'
import { RouteRequest } from './route-request.ts'

interface Validators {
  query: Validator | null
  body: Validator | null
}

type Params = Readonly<Record<string, string>>

const compiled = new WeakMap<Route, Validators>()

function validatorsOf(route: Route): Validators {
  const known = compiled.get(route)
  if (known !== undefined) return known
  const isChecked = route.checksInput !== true
  const made = {
    query: isChecked && route.query !== undefined ? createValidator(route.query) : null,
    body: isChecked && route.body !== undefined ? createValidator(route.body) : null,
  }
  compiled.set(route, made)
  return made
}

/** Returns the answer, or the request that the route rewrites this one to. */
export async function serveRoute(
  ports: Runtime,
  exchange: Scrubbed,
  { route, params }: { route: Route; params: Params },
): Promise<Answer | RewrittenRequest> {
  const reached = ended(exchange)
  const body = await readRequest(ports, reached, { route, params })
  const answer = await route.handle(new RouteRequest(ports, reached, { params, body, route }))
  if ('path' in answer) return answer
  return createAnswer({
    status: answer.status,
    headers: { ...(isPrivate(route) ? notStored : {}), ...answer.headers },
    ...(await contentOf(answer, exchange)),
  })
}

/** Converts the body of an answer for the stages that send it. */
export async function contentOf(
  { body, headers }: ServiceAnswer,
  { transport }: Received,
): Promise<Pick<Answer, 'text' | 'stream' | 'contentType'>> {
  const contentType = headers?.['content-type']
  if (isStreamed(body)) {
    const type = contentType ?? 'application/octet-stream'
    const stream = await primeBytes(asBuffers(body.stream))
    if (transport.method !== 'HEAD') return { text: null, stream, contentType: type }
    await stream.return?.()
    return { text: null, stream: emptyStream(), contentType: type }
  }
  if (isText(body)) {
    return { text: body.text, stream: null, contentType: contentType ?? 'text/plain; charset=utf-8' }
  }
  return { text: JSON.stringify(body), stream: null, contentType: null }
}

async function* asBuffers(source: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  for await (const bytes of source) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const notStored = { 'cache-control': 'no-store' }

/**
 * Whether an answer must not be cached, because it may contain new secrets. Public GET routes set their own cache
 * headers.
 */
const isPrivate = ({ scope, method }: Route) => scope !== 'public' || method !== 'GET'

interface TellRefusalOptions {
  route: Route
  params: Params
  error: GatewayError
}

/**
 * Notifies a route of a request that was refused before its handler ran. An error of this notification is only logged.
 */
export async function tellRefusal(
  ports: Runtime,
  exchange: Ended,
  { route, params, error }: TellRefusalOptions,
): Promise<void> {
  if (route.refused === undefined) return
  try {
    await route.refused(new RouteRequest(ports, exchange, { params, body: null }), error)
  } catch (fault) {
    const reason = faultReason(fault)
    ports.log.error({ trace_id: exchange.request.traceId, reason }, 'failed to record a refused request')
  }
}

async function readRequest(
  ports: Runtime,
  exchange: Ended,
  { route, params }: { route: Route; params: Params },
): Promise<unknown> {
  try {
    if (route.scope !== 'public' && route.authenticates !== true)
      checkScope(route, callerOf(exchange).caller.identity)
    const validators = validatorsOf(route)
    const queryErrors = validators.query?.(Object.fromEntries(exchange.transport.query)) ?? null
    if (queryErrors !== null) throw faultsError(toFaults(queryErrors, 'invalid_query', 'query'))
    const body = await readBody(exchange, route)
    checkDepth(body)
    checkKeys(body)
    const errors = validators.body?.(body) ?? null
    if (errors !== null) throw faultsError(toFaults(errors, 'invalid_body'))
    return body
  } catch (error) {
    if (isGatewayError(error)) await tellRefusal(ports, exchange, { route, params, error })
    throw error
  }
}

const publicBodyBytes = 65_536
const managementBodyBytes = 1_048_576

function bodyLimitOf({ scope, bodyLimit }: Route, inferenceBytes: number): number {
  if (typeof bodyLimit === 'number') return bodyLimit
  if (bodyLimit === 'server.body_limit') return inferenceBytes
  return Math.min(scope === 'public' ? publicBodyBytes : managementBodyBytes, inferenceBytes)
}

async function readBody({ transport, workspace }: Ended, route: Route): Promise<unknown> {
  if (route.streamsBody === true || route.authenticates === true) return null
  const maxBytes = bodyLimitOf(route, workspace.file.server.body_limit)
  if (route.isBodyOptional !== true) {
    if (route.body === undefined) return null
    return (await transport.readJson({ maxBytes })).body
  }
  const bytes = await transport.readBytes({ maxBytes })
  const text = bytes.toString('utf8').trim()
  if (text === '') return {}
  const parsed = parseJson(text)
  if (parsed === undefined) throw notJson(text)
  return parsed
}

const isStreamed = (body: ServiceAnswer['body']): body is { stream: AsyncIterable<Uint8Array> } =>
  typeof body === 'object' &&
  body !== null &&
  'stream' in body &&
  typeof body.stream === 'object' &&
  body.stream !== null &&
  Symbol.asyncIterator in body.stream

const isText = (body: ServiceAnswer['body']): body is { text: string } =>
  isObject(body) && Object.keys(body).length === 1 && typeof body.text === 'string'

/** Any one of the route's scopes is sufficient. */
function checkScope({ scope, checksScopes = false }: Route, identity: Identity): void {
  if (scope === null || checksScopes || identity.scopes.has('*')) return
  const wanted = typeof scope === 'string' ? [scope] : scope
  if (wanted.some((one) => identity.scopes.has(one))) return
  const param = wanted[0] ?? ''
  throw new GatewayError('missing_scope', `This credential lacks the scope ${wanted.join(' or ')}.`, {
    param,
  })
}
