/**
 * Endpoints that a service answers instead of their pipelines, because the gateway stores such objects itself: the
 * service decides, and may forward the request to its provider. `gateway_options` in a body replaces headers; real
 * headers override it, and it is never forwarded.
 */
import {
  type EndpointHandler,
  type EndpointRequest,
  type EndpointTarget,
  GatewayError,
  isGatewayError,
  isObject,
  type JsonObject,
  parseJson,
} from '@gateway/contract'
import {
  type Answer,
  changeInput,
  createAnswer,
  type Endpoint,
  ended,
  type Received,
  type Resolved,
  type ResolvedTarget,
  type Routed,
  type Run,
  type Runtime,
  readGatewayHeaders,
  required,
  type Scrubbed,
} from '@gateway/flow'
import { findTarget, leavesOf } from '@gateway/routing'
import { checkDepth, checkKeys } from '@gateway/validation'
import { boundaryOf, type EndpointRoute, streamForm } from '../endpoints/index.ts'
import { reserveBatch } from '../metering/index.ts'
import { withReservedLimits } from './in-process/with-reserved-limits.ts'
import { notJson } from './read-body.ts'
import { RouteRequest } from './route-request.ts'
import { contentOf } from './service-routes.ts'

type Params = Readonly<Record<string, string>>

/** The limit for a body that contains an action's parameters. */
const maxBodyBytes = 1_048_576

interface Handling {
  handler: EndpointHandler
  /** The endpoint's pipeline. */
  run: Run<Routed>
  /** Finds the config that routes the request. */
  resolve: Run<Routed, Resolved>
  readBody: EndpointRoute['readBody']
}

export async function serveWithHandler(
  ports: Runtime,
  exchange: Routed,
  { params, handler, run, resolve, readBody }: Handling & { params: Params },
): Promise<Answer> {
  const { endpoint } = exchange
  const sent = await (readBody?.(exchange) ?? readSmallBody(exchange, endpoint))
  const { gateway_options: options, ...rest } = sent
  // An unchanged body is forwarded as its original text.
  const body = options === undefined ? sent : rest
  if (options !== undefined) addOptions(exchange, options)
  const progress: Progress = { resolved: null, forwarded: null }
  const answer = await handler(
    new HandledRequest(ports, exchange, { params, handling: { body, run, resolve, progress } }),
  )
  if (answer === null) return required(progress.forwarded, 'answer of the pipeline')
  return createAnswer({
    status: answer.status,
    headers: { 'cache-control': 'no-store', ...answer.headers },
    ...(await contentOf(answer, exchange)),
  })
}

/** Reads JSON if the endpoint has a schema; an action may also have an empty body. */
async function readSmallBody(
  { transport }: Received,
  { request, form }: Pick<Endpoint, 'request' | 'form'>,
): Promise<JsonObject> {
  if (form !== null || transport.method === 'GET' || transport.method === 'HEAD') return {}
  const maxBytes = maxBodyBytes
  const body =
    request === null
      ? readOptional((await transport.readBytes({ maxBytes })).toString('utf8'))
      : (await transport.readJson({ maxBytes })).body
  if (!isObject(body)) throw invalid('/', 'The body must be a JSON object.')
  checkDepth(body)
  checkKeys(body)
  return body
}

function readOptional(text: string): unknown {
  if (text.trim() === '') return {}
  const body = parseJson(text)
  if (body === undefined) throw notJson(text)
  return body
}

const invalid = (param: string, message: string) => new GatewayError('invalid_body', message, { param })

/** The handler's progress so far. It is an object, because services wrap the request. */
interface Progress {
  resolved: Resolved | null
  forwarded: Answer | null
}

class HandledRequest extends RouteRequest<JsonObject> implements EndpointRequest {
  readonly endpoint: EndpointRequest['endpoint']
  readonly form: EndpointRequest['form']
  readonly isExempt: boolean
  private readonly routed: Routed
  private readonly run: Run<Routed>
  private readonly resolve: Run<Routed, Resolved>
  private readonly progress: Progress

  constructor(
    ports: Runtime,
    exchange: Routed,
    {
      params,
      handling: { body, run, resolve, progress },
    }: {
      params: Params
      handling: Pick<Handling, 'run' | 'resolve'> & { body: JsonObject; progress: Progress }
    },
  ) {
    super(ports, ended(exchange), { params, body })
    const { endpoint } = exchange
    this.routed = exchange
    this.endpoint = endpoint.id
    this.form = endpoint.form === null || exchange.transport.method !== 'POST' ? null : openForm(exchange)
    this.isExempt = exchange.transport.origin?.isExempt === true
    this.run = run
    this.resolve = resolve
    this.progress = progress
  }

  get namesTarget(): boolean {
    const { config, virtualKey, provider } = this.routed.options
    return config !== null || virtualKey !== null || provider !== null
  }

  addOptions(options: JsonObject): void {
    addOptions(this.routed, options)
  }

  async targets(): Promise<EndpointTarget[]> {
    this.progress.resolved = await this.resolve(this.routed)
    return targetsOf(this.progress.resolved)
  }

  async forward(...[sent, form]: Parameters<EndpointRequest['forward']>) {
    const { routed } = this
    changeInput(routed, { body: sent, form: form ?? null })
    const answer = await this.run(routed)
    this.progress.forwarded = answer
    return { status: answer.status, body: answer.body }
  }

  laterHeaders(): Record<string, string> {
    return laterHeaders(this.routed)
  }

  async reserveBatch(...[path, leaseMs, need]: Parameters<EndpointRequest['reserveBatch']>) {
    this.progress.resolved ??= await this.resolve(this.routed)
    const exchange = this.progress.resolved
    const [leaf] = leavesOf(exchange.node)
    const lines = this.ports.endpoints.find(({ routes }) => routes.some((route) => route.path === path))
    if (leaf === undefined || lines === undefined) return null
    const target = findTarget(exchange, leaf, null)
    const hold = await reserveBatch(exchange, { endpoint: lines, target, leaseMs, need })
    // The request itself continues within the reservation.
    if (hold !== null) exchange.request.stores = withReservedLimits(exchange.request.stores, hold)
    return hold
  }
}

function openForm({ transport }: Received): EndpointRequest['form'] {
  const type = headerOf(transport.headers['content-type'])
  const boundary = /^multipart\/form-data\s*(;|$)/i.test(type) ? boundaryOf(type) : null
  if (boundary === null)
    throw wrongType('Send a form, with content-type: multipart/form-data and a boundary.')
  const coding = headerOf(transport.headers['content-encoding']).trim().toLowerCase()
  if (coding !== '' && coding !== 'identity')
    throw wrongType('A form cannot be compressed.', 'content-encoding')
  return streamForm(transport.streamBody(), boundary)
}

const headerOf = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')

const wrongType = (message: string, header = 'content-type') =>
  new GatewayError('unsupported_media_type', message, { param: `header/${header}` })

/** Headers that identify the caller and the workspace, which are already determined. */
const settled: ReadonlySet<string> = new Set(['api-key', 'csrf', 'workspace-id'])

/** Adds options as headers. Names may have the prefix or not; objects, such as a config, are written as JSON. */
function addOptions(exchange: Routed, options: unknown): void {
  if (!isObject(options))
    throw invalid('/gateway_options', '/gateway_options: must be an object of header names and values')
  const prefixes = exchange.workspace.file.server.header_prefixes
  const { prefix, values: sent } = exchange.request.ownHeaders
  const values = new Map(sent)
  for (const [key, value] of Object.entries(options)) {
    const written = key.toLowerCase().replaceAll('_', '-')
    const name = written.slice(prefixes.find((each) => written.startsWith(each))?.length ?? 0)
    const text =
      typeof value === 'string' ? value.trim() : isScalar(value) ? String(value) : JSON.stringify(value)
    if (!settled.has(name) && !values.has(name) && value !== null && text !== '') values.set(name, text)
  }
  exchange.request.ownHeaders = { prefix, values }
  const { headers } = exchange.transport
  exchange.options = readGatewayHeaders(headers, exchange.request.ownHeaders, prefixes)
}

const isScalar = (value: unknown) => typeof value === 'number' || typeof value === 'boolean'

function targetsOf(exchange: Resolved): EndpointTarget[] {
  const leaves = leavesOf(exchange.node)
  return leaves.flatMap((leaf) => {
    try {
      return [targetOf(findTarget(exchange, leaf, null))]
    } catch (error) {
      if (isGatewayError(error) && error.code === 'no_provider') return []
      throw error
    }
  })
}

const targetOf = ({ adapter, slug }: ResolvedTarget): EndpointTarget => ({
  provider: adapter.name,
  slug,
  has: (endpoint) => adapter.endpoints[endpoint] !== undefined,
})

/** Headers that describe only the body of this call. */
const ofBody = /^(?:content-|transfer-|accept$|idempotency-key$|expect$|if-)/

function laterHeaders({ options, headers, request }: Scrubbed): Record<string, string> {
  const { prefix, values } = request.ownHeaders
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (!ofBody.test(name)) kept[name] = value
  for (const [name, value] of values) if (!settled.has(name)) kept[`${prefix}${name}`] = value
  const credential = options?.credential ?? null
  if (credential !== null) {
    // If another header carries the gateway key, the bearer token is the provider's.
    kept[`${prefix}api-key`] = 'in-process'
    kept.authorization = `Bearer ${credential}`
  }
  return kept
}
