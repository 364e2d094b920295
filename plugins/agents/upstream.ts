/** Calls an agent through the host guard, with the integration's headers and those that it forwards. */
import { GatewayError, type JsonObject, type ServiceContext, type UpstreamStream } from '@gateway/contract'
import {
  type ClearConfigurations,
  customHeaders,
  forwardedHeaders,
} from '@gateway/control-plane/remote-servers'
import type { Integration } from './directory.ts'

export interface AgentRuntime {
  context: ServiceContext<'documents' | 'now' | 'publicUrl' | 'send'>
  configurationsOf: ClearConfigurations
  cards: WeakMap<Integration, { card: JsonObject; until: number }>
}

interface AgentCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  body: Buffer | null
  workspaceId: string | null
  /** The headers of the client's request, without credentials. */
  headers: Readonly<Record<string, string>>
  /** Headers that the gateway adds. */
  extra?: Readonly<Record<string, string>>
}

/** Headers of the protocol, which are forwarded. */
const passed = ['accept', 'content-type', 'a2a-version', 'a2a-extensions', 'x-a2a-extensions']

const defaultTimeoutMs = 60_000

interface CallAgentOptions {
  agentCall: AgentCall
  signal: AbortSignal
}

/** `timeout_ms` applies until the response headers arrive. */
export async function callAgent(
  runtime: AgentRuntime,
  integration: Integration,
  { agentCall: { method, url, body, workspaceId, headers, extra = {} }, signal }: CallAgentOptions,
): Promise<UpstreamStream> {
  const configurations = await runtime.configurationsOf(integration, workspaceId)
  const own: Record<string, string> = { ...forwardedHeaders(configurations.forward_headers, headers) }
  for (const name of passed) {
    const value = headers[name]
    if (value !== undefined) own[name] = value
  }
  Object.assign(own, customHeaders(configurations), extra)
  const { timeout_ms: written } = configurations
  const limit = new AbortController()
  const leave = () => limit.abort(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  const timer = setTimeout(
    () =>
      limit.abort(
        new GatewayError('request_timeout', 'The agent did not answer within timeout_ms of its integration.'),
      ),
    typeof written === 'number' ? written : defaultTimeoutMs,
  )
  try {
    return await runtime.context.send({ method, url, headers: own, body }, limit.signal)
  } finally {
    clearTimeout(timer)
  }
}
