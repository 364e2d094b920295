/**
 * Streamable HTTP: every message is a POST, answered with JSON or a stream of events; a session if the upstream uses
 * one. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
import { GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { call, goodbyeMs, headersOf, type Link, notify, type SendContext } from './exchange.ts'
import {
  type CallIo,
  clientInfo,
  latestVersion,
  type ServerInfo,
  type Session,
  upstreamVersions,
} from './session.ts'
import type { UpstreamTarget } from './target.ts'

/** Begins a session: `initialize`, then `notifications/initialized`. */
export async function openHttpSession(
  context: SendContext,
  target: UpstreamTarget,
  io: CallIo,
): Promise<Session> {
  const link: Link = {
    context,
    target,
    sessionId: null,
    version: null,
    isProven: false,
    tellsCancel: true,
  }
  const params = { protocolVersion: latestVersion, capabilities: {}, clientInfo }
  let answer: JsonObject | null = null
  for await (const message of call(link, { id: 0, method: 'initialize', params }, io)) answer = message
  const info = readInfo(answer)
  link.version = info.protocolVersion
  await notify(link, 'notifications/initialized', { params: {}, io })
  let nextId = 1
  return {
    info,
    call: (request, callIo) => call(link, { ...request, id: nextId++ }, callIo),
    close: () => void endSession(link),
  }
}

/** The content of the answer to `initialize`. */
export function readInfo(answer: JsonObject | null): ServerInfo {
  const result = answer?.result
  if (!isObject(result)) {
    const error = answer?.error
    const said =
      isObject(error) && typeof error.message === 'string' ? `: ${error.message.slice(0, 200)}` : ''
    throw new GatewayError('upstream_invalid_response', `The MCP server refused to open a session${said}.`)
  }
  const { protocolVersion, serverInfo, capabilities, instructions } = result
  if (typeof protocolVersion !== 'string' || !upstreamVersions.includes(protocolVersion)) {
    throw new GatewayError(
      'upstream_invalid_response',
      'The MCP server supports no protocol version that the gateway supports.',
    )
  }
  const { name, version } = isObject(serverInfo) ? serverInfo : {}
  return {
    name: typeof name === 'string' ? name : null,
    version: typeof version === 'string' ? version : null,
    protocolVersion,
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : null,
  }
}

/** The upstream may refuse; the session then expires by itself. */
async function endSession(link: Link): Promise<void> {
  if (link.sessionId === null) return
  const { url } = link.target.integration.data
  const request = {
    method: 'DELETE' as const,
    url,
    headers: headersOf(link, { signal: neverEnds }),
    body: null,
  }
  try {
    ;(await link.context.send(request, AbortSignal.timeout(goodbyeMs))).dump()
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'error'
    link.context.log.info(
      { integration: link.target.integration.slug, reason },
      'failed to end an MCP session',
    )
  }
}

const neverEnds = new AbortController().signal
