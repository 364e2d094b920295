/**
 * Asks a provider for its models (`listModels`). Errors: `upstream_error` for an error answer,
 * `upstream_invalid_response` for an answer that is not a list; `overloaded`; those of the call.
 */

import {
  type CallContext,
  GatewayError,
  type HttpEndpoint,
  isGatewayError,
  isObject,
  type Json,
  type JsonObject,
  type ModelInfo,
  type ProcedureEndpoint,
  parseJson,
} from '@gateway/contract'
import {
  type BufferBudget,
  cancellationOf,
  RequestBuffers,
  type ResolvedTarget,
  type Workspace,
} from '@gateway/flow'
import { authorize, type CallIo, createCallIo, type ReadBodyOptions, readBody } from '@gateway/upstream'

const maxListBytes = 16 * 1_048_576
const maxModels = 20_000

export interface AskOptions {
  signal: AbortSignal
  /** The answer's size counts towards this budget: several requests may wait for one list. */
  budget: BufferBudget
}

/** The provider's own list. */
export async function askModels(
  settings: Workspace,
  target: ResolvedTarget,
  { signal, budget }: AskOptions,
): Promise<ModelInfo[]> {
  const endpoint = endpointOf(target)
  if (endpoint === null) return [...(target.adapter.models ?? [])]
  const buffers = new RequestBuffers(budget)
  try {
    return await ask(settings, target, { endpoint, signal, bounds: { maxBytes: maxListBytes, buffers } })
  } finally {
    buffers.release()
  }
}

interface AskArguments {
  endpoint: HttpEndpoint | ProcedureEndpoint
  signal: AbortSignal
  bounds: ReadBodyOptions
}

async function ask(
  settings: Workspace,
  target: ResolvedTarget,
  { endpoint, signal, bounds }: AskArguments,
): Promise<ModelInfo[]> {
  const io = createCallIo(settings, cancellationOf(signal), {
    bounds: () => bounds,
    streamBegan: () => undefined,
  })
  const context = createContext(target)
  if (endpoint.kind === 'http')
    return toModels(await askHttp(settings, target, { endpoint, context, io, bounds }))
  const { status, body } = await endpoint.run(
    {},
    {
      ...context,
      ...io,
      signal: io.signal,
      baseUrl: target.baseUrl,
      authorize: async (request) => {
        const headers = { ...target.headers, ...request.headers }
        return authorize(target, { ...request, headers }, io)
      },
    },
  )
  if (status !== 200) throw refused(status)
  return toModels(body)
}

/** Null when the provider, with these settings, has no model list. */
function endpointOf({ adapter, settings }: ResolvedTarget): HttpEndpoint | ProcedureEndpoint | null {
  const declared = adapter.endpoints.listModels
  if (declared?.kind !== 'choice') return declared ?? null
  try {
    return declared.choose({}, settings)
  } catch (error) {
    if (isGatewayError(error) && error.code === 'unsupported_endpoint') return null
    throw error
  }
}

interface AskHttpOptions {
  endpoint: HttpEndpoint
  context: CallContext
  io: CallIo
  bounds: ReadBodyOptions
}

async function askHttp(
  settings: Workspace,
  target: ResolvedTarget,
  { endpoint, context, io, bounds }: AskHttpOptions,
): Promise<JsonObject> {
  const { method, path, dialect } = endpoint
  const wire = dialect.request({}, context)
  const request = {
    method,
    url: target.baseUrl + (typeof path === 'string' ? path : path({}, target.settings)),
    headers: { ...target.headers, accept: 'application/json', ...endpoint.headers?.({}, context) },
    body: method === 'GET' ? null : JSON.stringify(wire),
  }
  const authorized = await authorize(target, request, io)
  const answer = await settings.upstream.send(authorized, io.cancellation)
  if (answer.status !== 200) {
    answer.body.dump()
    throw refused(answer.status)
  }
  const body = parseJson((await readBody(answer, bounds)).toString('utf8'))
  // Some providers return a bare list.
  const list = Array.isArray(body) ? { data: body as Json[] } : body
  if (!isObject(list)) throw unreadable()
  return dialect.answer(list, context)
}

const createContext = (target: ResolvedTarget): CallContext => ({
  endpoint: 'listModels',
  settings: target.settings,
  request: {},
  strict: true,
  includeUsage: false,
  now: Date.now,
  id: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
  files: [],
})

function toModels(body: JsonObject | null): ModelInfo[] {
  if (!Array.isArray(body?.data)) throw unreadable()
  const models = body.data.flatMap((model): ModelInfo[] => {
    if (!isObject(model) || typeof model.id !== 'string' || model.id === '') return []
    const { id, name, owned_by, created, capabilities } = model
    return [
      {
        id,
        ...(typeof name === 'string' ? { name } : {}),
        ...(typeof owned_by === 'string' ? { owned_by } : {}),
        ...(typeof created === 'number' ? { created } : {}),
        ...(isObject(capabilities) ? { capabilities } : {}),
      },
    ]
  })
  return models.slice(0, maxModels)
}

const refused = (status: number) => new GatewayError('upstream_error', `The provider answered ${status}.`)

const unreadable = () =>
  new GatewayError('upstream_invalid_response', 'The provider returned an invalid model list.')
