/**
 * A realtime session with a provider: its WebSocket opened with the target's credential through the host guard, and
 * messages relayed in both directions until one side disconnects or a timeout expires. Errors before it is open
 * become the target's answer.
 * Errors: `unsupported_endpoint`, `host_not_allowed`, `upstream_unreachable`, an error of the provider.
 */
import { GatewayError, type UpstreamRequest } from '@gateway/contract'
import {
  type Answer,
  type CheckPorts,
  createAnswer,
  type LimitPorts,
  type Ports,
  type ResolvedTarget,
  required,
  type Targeted,
} from '../flow/index.ts'
import {
  authorize,
  type CallIo,
  forwarded,
  openSocket,
  readUpstreamError,
  upstreamErrorAnswer,
} from '../upstream/index.ts'
import { relay } from './relay.ts'

export async function callSession(
  ports: CheckPorts & LimitPorts & Ports<'workspaces'>,
  exchange: Targeted,
  target: ResolvedTarget,
  io: CallIo,
): Promise<Answer> {
  const session = required(exchange.transport.session, 'session')
  const request = await authorize(target, requestOf(exchange, target), io)
  const opened = await openSocket(exchange.workspace, request, io.cancellation)
  if ('status' in opened) {
    const { status, text, headers } = opened
    return upstreamErrorAnswer(readUpstreamError(status, text, undefined, headers), target, {})
  }
  io.streamBegan()
  return createAnswer({ contentType: '', stream: relay(ports, exchange, session, opened) })
}

function requestOf(exchange: Targeted, target: ResolvedTarget): UpstreamRequest {
  const { adapter, baseUrl, settings } = target
  if (adapter.realtime === undefined || baseUrl === null) {
    throw new GatewayError('unsupported_endpoint', `The provider ${adapter.name} does not support realtime.`)
  }
  const { model } = exchange.body
  const named = typeof model === 'string' ? model : null
  return {
    method: 'GET',
    url: adapter.realtime.url(baseUrl, named, settings),
    headers: forwarded(exchange, { passes: [...adapter.realtime.passes] }),
    body: null,
  }
}
