/**
 * A realtime session with a provider: its WebSocket opened with the target's credential through the host guard, and
 * messages relayed by the package of its protocol. Errors before it is open
 * become the target's answer.
 * Errors: `unsupported_endpoint`, `host_not_allowed`, `upstream_unreachable`, an error of the provider.
 */
import { GatewayError, type UpstreamRequest } from '@gateway/contract'
import type { SessionProtocol } from '@gateway/contract/dialect'
import {
  type Answer,
  type CheckPorts,
  createAnswer,
  type LimitPorts,
  type Ports,
  type ResolvedTarget,
  required,
  type Targeted,
} from '@gateway/flow'
import {
  authorize,
  type CallIo,
  forwarded,
  openSocket,
  readUpstreamError,
  upstreamErrorAnswer,
} from '@gateway/upstream'
import { createSessionHost } from './session-host.ts'

export async function callSession(
  ports: CheckPorts & LimitPorts & Ports<'workspaces'>,
  exchange: Targeted,
  { protocol, io }: { protocol: SessionProtocol; io: CallIo },
): Promise<Answer> {
  const { target } = exchange
  const session = required(exchange.transport.session, 'session')
  const request = await authorize(target, requestOf(exchange, target), io)
  const opened = await openSocket(exchange.workspace, request, io.cancellation)
  if ('status' in opened) {
    const { status, text, headers } = opened
    return upstreamErrorAnswer(readUpstreamError(status, text, { read: undefined, headers }), target, {})
  }
  io.streamBegan()
  const host = createSessionHost(ports, exchange, { client: session, provider: opened })
  return createAnswer({ contentType: '', stream: protocol.relay(host) })
}

function requestOf(exchange: Targeted, target: ResolvedTarget): UpstreamRequest {
  const { adapter, baseUrl, settings } = target
  if (adapter.realtime === undefined || baseUrl === null) {
    throw new GatewayError('unsupported_endpoint', `The provider ${adapter.name} does not support realtime.`)
  }
  const { model } = exchange.input.body
  const named = typeof model === 'string' ? model : null
  return {
    method: 'GET',
    url: adapter.realtime.url(baseUrl, named, settings),
    headers: forwarded(exchange, { passes: [...adapter.realtime.passes] }),
    body: null,
  }
}
