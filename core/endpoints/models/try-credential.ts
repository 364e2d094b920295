/**
 * One cheap call with a stored credential: a completion of one token when a model is given, else the provider's model
 * list, else a completion by the first known model. Only the provider's status and error message are returned.
 */

import { atModelHost, secretsOf, trimSlashes } from '@gateway/config'
import {
  type CallContext,
  type CredentialTrial,
  type EndpointId,
  type HttpEndpoint,
  isGatewayError,
  isUpstreamFault,
  type JsonObject,
  type ProcedureEndpoint,
} from '@gateway/contract'
import { openContent, recordOf } from '@gateway/domain'
import {
  cancellationOf,
  isOverload,
  RequestBuffers,
  type ResolvedTarget,
  type Workspace,
} from '@gateway/flow'
import { authorize, createCallIo, type ReadBodyOptions, readBody, readUpstreamError } from '@gateway/upstream'
import { type IntegrationDraft, integrationTarget, type StoredCredentials } from './integration-target.ts'

const timeLimitMs = 20_000
const maxAnswerBytes = 16 * 1_048_576

export async function tryCredential(
  integration: IntegrationDraft,
  model: string | null,
  given: StoredCredentials,
): Promise<CredentialTrial> {
  const limit = AbortSignal.timeout(timeLimitMs)
  const buffers = new RequestBuffers(given.buffers())
  const bounds = { maxBytes: maxAnswerBytes, buffers }
  try {
    const target = await integrationTarget(integration, given)
    const { models: stored } = integration.data
    const models = openContent(stored, given.sealer, recordOf(integration))
    return await callOnce(given.settings(), withModelHost(target, { ...integration.data, models }, model), {
      model,
      limits: {
        signal: limit,
        bounds,
      },
    })
  } catch (error) {
    if (limit.aborted)
      return { status: null, error: `The provider did not answer within ${timeLimitMs / 1000} s.` }
    if (isOverload(error)) throw error
    if (isUpstreamFault(error)) return { status: error.upstream.status, error: error.upstream.message }
    if (isGatewayError(error) && error.code !== 'internal_error')
      return { status: null, error: error.message }
    throw error
  } finally {
    buffers.release()
  }
}

interface Limits {
  signal: AbortSignal
  bounds: ReadBodyOptions
}

/** Changes the target to the model's own host, if it has one. */
function withModelHost(
  target: ResolvedTarget,
  { models, source }: IntegrationDraft['data'],
  model: string | null,
): ResolvedTarget {
  const isDeclared = source === 'file'
  const own = models.find(({ slug }) => slug === model)?.configurations ?? null
  if (own === null) return target
  const { settings, headers } = atModelHost(target, target, { own, isDeclared })
  const baseUrl = own.custom_host === undefined ? target.baseUrl : trimSlashes(own.custom_host)
  return { ...target, settings, headers, baseUrl }
}

async function callOnce(
  settings: Workspace,
  target: ResolvedTarget,
  { model, limits }: { model: string | null; limits: Limits },
): Promise<CredentialTrial> {
  const { adapter } = target
  const list = model === null ? endpointOf(target, 'listModels', {}) : null
  if (list !== null) return send(settings, target, { endpoint: list, name: 'listModels', body: {}, limits })
  const named = model ?? adapter.models?.[0]?.id
  if (named === undefined) return { status: null, error: 'Specify a model: this provider has no model list.' }
  const body = { model: named, messages: [{ role: 'user', content: 'ping' }], max_tokens: 1 }
  const chat = endpointOf(target, 'chatComplete', body)
  if (chat !== null) return send(settings, target, { endpoint: chat, name: 'chatComplete', body, limits })
  const text = { model: named, input: 'ping' }
  const embed = endpointOf(target, 'embed', text)
  if (embed !== null) return send(settings, target, { endpoint: embed, name: 'embed', body: text, limits })
  return { status: null, error: 'This provider has no cheap call to test with.' }
}

function endpointOf(
  { adapter, settings }: ResolvedTarget,
  name: EndpointId,
  body: JsonObject,
): HttpEndpoint | ProcedureEndpoint | null {
  const declared = adapter.endpoints[name]
  if (declared?.kind !== 'choice') return declared ?? null
  try {
    return declared.choose(body, settings)
  } catch (error) {
    if (isGatewayError(error) && error.code === 'unsupported_endpoint') return null
    throw error
  }
}

interface Trial {
  endpoint: HttpEndpoint | ProcedureEndpoint
  name: EndpointId
  body: JsonObject
}

async function send(
  settings: Workspace,
  target: ResolvedTarget,
  { endpoint, name, body, limits: { signal, bounds } }: Trial & { limits: Limits },
): Promise<CredentialTrial> {
  const io = createCallIo(settings, cancellationOf(signal), {
    bounds: () => bounds,
    streamBegan: () => undefined,
  })
  const context = contextOf(target, name, body)
  if (endpoint.kind === 'procedure') {
    const { status } = await endpoint.run(body, {
      ...context,
      ...io,
      signal: io.signal,
      baseUrl: target.baseUrl,
      authorize: async (request) => authorize(target, request, io),
    })
    return trialOf(status, null, target)
  }
  const { method, path, dialect } = endpoint
  const wire = dialect.request(body, context)
  const encoded = method === 'GET' ? null : (dialect.encode?.(wire, context) ?? null)
  const type = encoded?.contentType ?? (method === 'GET' ? null : 'application/json')
  const request = {
    method,
    url: target.baseUrl + (typeof path === 'string' ? path : path(body, target.settings)),
    headers: {
      accept: 'application/json',
      ...(type === null ? {} : { 'content-type': type }),
      ...target.headers,
      ...endpoint.headers?.(body, context),
    },
    body: method === 'GET' ? null : (encoded?.bytes ?? JSON.stringify(wire)),
  }
  const authorized = await authorize(target, request, io)
  const answer = await settings.upstream.send(authorized, io.cancellation)
  const text = (await readBody(answer, bounds)).toString('utf8')
  const said =
    answer.status >= 400
      ? readUpstreamError(answer.status, text, { read: dialect.error, headers: answer.headers }).message
      : null
  return trialOf(answer.status, said, target)
}

function trialOf(status: number, said: string | null, target: ResolvedTarget): CredentialTrial {
  if (status >= 200 && status < 300) return { status, error: null }
  const message = said ?? `The provider answered ${status}.`
  // Some providers repeat the rejected key in the message.
  const secrets = secretsOf(target.settings).filter(({ length }) => length >= 4)
  return {
    status,
    error: secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), message).slice(0, 1000),
  }
}

const contextOf = (target: ResolvedTarget, endpoint: EndpointId, request: JsonObject): CallContext => ({
  endpoint,
  settings: target.settings,
  request,
  strict: true,
  includeUsage: false,
  now: Date.now,
  id: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
  files: [],
})
