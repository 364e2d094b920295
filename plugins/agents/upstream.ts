/** Calls of an agent: with the integration's headers and those that it forwards, through the host guard. */
import {
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
  type ServiceContext,
  type UpstreamStream,
} from '@gateway/contract'
import { forwardedHeaders, openConfigurations } from '@gateway/control-plane/remote-servers'
import type { Integration } from './directory.ts'

export interface AgentRuntime {
  context: ServiceContext
  /** `configurations` in clear, by the version of an integration. */
  opened: WeakMap<Integration, JsonObject>
  cards: WeakMap<Integration, { card: JsonObject; until: number }>
}

async function configurationsOf(
  { context, opened }: AgentRuntime,
  integration: Integration,
  workspaceId: string | null,
): Promise<JsonObject> {
  let own = opened.get(integration)
  if (own === undefined) {
    const declared = context.fileSecrets(integration.kind, integration.id)
    own = { ...openConfigurations(integration, context.sealer), ...declared }
    opened.set(integration, own)
  }
  const { secret_mappings: mappings } = integration.data
  if (mappings.length === 0) return own
  const mapped = await context.mappedSecrets(mappings, workspaceId)
  const named = [...mapped].map(([field, value]): [string, Json] => [
    field.replace('configurations.', ''),
    value,
  ])
  return { ...own, ...Object.fromEntries(named) }
}

export interface AgentCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  body: Buffer | null
  workspaceId: string | null
  /** Of the client's request, scrubbed. */
  headers: Readonly<Record<string, string>>
}

/** Headers of the protocol, which travel. */
const passed = ['accept', 'content-type', 'a2a-version', 'a2a-extensions', 'x-a2a-extensions']

const defaultTimeoutMs = 60_000

/** `timeout_ms`, until the head of the answer is there. */
export async function callAgent(
  runtime: AgentRuntime,
  integration: Integration,
  { method, url, body, workspaceId, headers }: AgentCall,
  signal: AbortSignal,
): Promise<UpstreamStream> {
  const configurations = await configurationsOf(runtime, integration, workspaceId)
  const own: Record<string, string> = { ...forwardedHeaders(configurations.forward_headers, headers) }
  for (const name of passed) {
    const value = headers[name]
    if (value !== undefined) own[name] = value
  }
  const custom = isObject(configurations.custom_headers) ? configurations.custom_headers : {}
  for (const [name, value] of Object.entries(custom))
    if (typeof value === 'string') own[name.toLowerCase()] = value
  const { timeout_ms: written } = configurations
  const limit = new AbortController()
  const leave = () => limit.abort(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  const timer = setTimeout(
    () => limit.abort(new GatewayError('request_timeout', 'The agent took too long.')),
    typeof written === 'number' ? written : defaultTimeoutMs,
  )
  try {
    return await runtime.context.send({ method, url, headers: own, body }, limit.signal)
  } finally {
    clearTimeout(timer)
  }
}
