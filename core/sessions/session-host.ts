/**
 * The host of a session, given to the package that relays it: both connections, and the gateway's decisions about the
 * session.
 */
import type { SessionHost, SessionProvider } from '@gateway/contract/dialect'
import {
  type CheckPorts,
  type ClientSession,
  type LimitPorts,
  type Ports,
  streamTotalMs,
  type Targeted,
} from '@gateway/flow'
import { closeCodes, SessionClosed, type SocketMessages } from '@gateway/upstream'
import { admitResponse } from './admit-response.ts'
import { chargeResponse, type SessionUsage } from './charge-response.ts'
import { checkEvent } from './check-event.ts'

/** Used when the session's config sets no limit. */
const longestSessionMs = 3_600_000

export function createSessionHost(
  ports: CheckPorts & LimitPorts & Ports<'workspaces'>,
  exchange: Targeted,
  { client, provider }: { client: ClientSession; provider: SocketMessages },
): SessionHost {
  const { after } = exchange.node
  const hooks = { before: exchange.input.sessionHooks, after }
  const usage: SessionUsage = { total: null }
  return {
    client: {
      next: () => client.next(),
      send: (text) => client.send(text),
      leaving: exchange.leaving,
      stopping: client.stopping,
    },
    provider: providerOf(provider, client),
    ...timesOf(exchange),
    checksInput: hooks.before.length > 0,
    checksOutput: after.length > 0,
    holdsOutput: after.some(
      ({ deny, denyOnSuccess, type, async }) => (deny || denyOnSuccess || type === 'mutator') && !async,
    ),
    admit: () => admitResponse(ports, exchange),
    charge: (reported) => chargeResponse(ports, exchange, { usage: reported, session: usage }),
    check: (phase, event) => checkEvent(ports, exchange, { phase, hooks: hooks[phase], event }),
  }
}

const providerOf = (provider: SocketMessages, client: ClientSession): SessionProvider => ({
  next: () => provider.next(),
  send: (text) => provider.send(text),
  checkEnd: () => checkEnd(provider),
  close: () => provider.close(client.closeCode() ?? closeCodes.normal, ''),
})

function checkEnd(provider: SocketMessages): void {
  const { code, reason } = provider.closing() ?? { code: closeCodes.broken, reason: '' }
  if (code === closeCodes.normal || code === closeCodes.none) return
  const because = reason === '' ? '' : `: ${reason}`
  const message =
    code === closeCodes.broken
      ? "The provider's connection broke."
      : `The provider closed the session with code ${code}${because}`
  throw new SessionClosed('upstream_error', message, code)
}

function timesOf(exchange: Targeted) {
  const { options, node, workspace } = exchange
  const spentMs = performance.now() - exchange.request.startedAt
  return {
    idleMs:
      options.streamIdleTimeoutMs ??
      node.streamClocks?.idleMs ??
      workspace.file.server.stream_idle_timeout_ms,
    totalMs: (streamTotalMs(exchange) ?? longestSessionMs) - spentMs,
  }
}
