/**
 * The stateless protocol, 2026-07-28, towards an upstream: no handshake; every request names its protocol version in
 * `_meta`, and its headers repeat its method and parameters. Callers pass requests, and get answers, in the form of the
 * older versions. https://modelcontextprotocol.io/specification/2026-07-28
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { type RpcRequest, resultMessage } from '../messages.ts'
import { call, type Link, type SendContext } from './exchange.ts'
import { encodeHeader, namedParameter } from './header-text.ts'
import { UpstreamRefusal } from './refusal.ts'
import {
  type CallIo,
  clientInfo,
  metaPrefix,
  type ServerInfo,
  type Session,
  statelessVersion,
} from './session.ts'
import type { UpstreamTarget } from './target.ts'

const serverInfoKey = `${metaPrefix}serverInfo`

/**
 * Null: the upstream does not support this version. Errors: those of calls, except answers that are typical of older
 * servers.
 */
export async function openStatelessSession(
  context: SendContext,
  target: UpstreamTarget,
  io: CallIo,
): Promise<Session | null> {
  const link: Link = {
    context,
    target,
    sessionId: null,
    version: statelessVersion,
    isProven: false,
    tellsCancel: false,
  }
  const info = await discover(link, io)
  if (info === null) return null
  let nextId = 1
  let logLevel: string | null = null
  return {
    info,
    call(request, callIo) {
      const id = nextId++
      if (request.method !== 'logging/setLevel')
        return older(ask(link, { ...request, id }, { io: callIo, sessionLevel: logLevel }))
      const { level } = request.params
      logLevel = typeof level === 'string' ? level : null
      return answered(id)
    },
    close: () => undefined,
  }
}

/** The log level is part of each request, so the upstream needs no call for it. */
async function* answered(id: number): AsyncGenerator<JsonObject> {
  yield resultMessage(id, {})
}

async function discover(link: Link, io: CallIo): Promise<ServerInfo | null> {
  let answer: JsonObject | null = null
  try {
    const request = { id: 0, method: 'server/discover', params: {} }
    for await (const message of ask(link, request, { io, sessionLevel: null })) answer = message
  } catch (error) {
    // Older servers refuse messages before a handshake, each in its own way.
    if (error instanceof UpstreamRefusal) return null
    throw error
  }
  const result = answer?.result
  if (!isObject(result) || !Array.isArray(result.supportedVersions)) return null
  if (!result.supportedVersions.includes(statelessVersion)) return null
  const { capabilities, instructions, _meta: meta } = result
  const said = isObject(meta) ? meta[serverInfoKey] : null
  const { name, version } = isObject(said) ? said : {}
  return {
    name: typeof name === 'string' ? name : null,
    version: typeof version === 'string' ? version : null,
    protocolVersion: statelessVersion,
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : null,
  }
}

async function* older(messages: AsyncIterable<JsonObject>): AsyncGenerator<JsonObject> {
  for await (const message of messages) yield asOlder(message)
}

function ask(
  link: Link,
  request: RpcRequest,
  { io, sessionLevel }: { io: CallIo; sessionLevel: string | null },
): AsyncIterable<JsonObject> {
  const {
    method,
    params,
    clientCapabilities,
    logLevel = clientCapabilities === undefined ? sessionLevel : null,
  } = request
  const meta: JsonObject = {
    ...(isObject(params._meta) ? params._meta : {}),
    [`${metaPrefix}protocolVersion`]: statelessVersion,
    [`${metaPrefix}clientInfo`]: clientInfo,
    [`${metaPrefix}clientCapabilities`]: clientCapabilities ?? {},
    ...(logLevel === null ? {} : { [`${metaPrefix}logLevel`]: logLevel }),
  }
  const field = namedParameter(method)
  const name = field === undefined ? undefined : params[field]
  const headers = {
    ...io.headers,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': encodeHeader(name) } : {}),
  }
  const sent = { ...request, params: { ...params, _meta: meta } }
  return call(link, sent, { ...io, headers })
}

/** A complete result without the members that this version added. A result that requests input stays unchanged. */
function asOlder(message: JsonObject): JsonObject {
  const { result } = message
  if (!isObject(result) || (result.resultType !== undefined && result.resultType !== 'complete'))
    return message
  const { resultType: _, ttlMs: __, cacheScope: ___, _meta: meta, ...older } = result
  if (!isObject(meta)) return { ...message, result: older }
  const { [serverInfoKey]: ____, ...kept } = meta
  return { ...message, result: Object.keys(kept).length === 0 ? older : { ...older, _meta: kept } }
}
