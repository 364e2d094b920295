/**
 * The stateless protocol, 2026-07-28: no handshake; every request names its protocol version in `_meta`, and its
 * headers repeat its method and parameters. Requests are converted to the form of the older versions, answers back to
 * this one. https://modelcontextprotocol.io/specification/2026-07-28
 */
import { isObject, type Json, type JsonObject, type ServiceRequest } from '@gateway/contract'
import { RpcFault, type RpcRequest, rpcCodes } from '../messages.ts'
import { decodeHeader, markedParameters, namedParameter, parameterHeaders } from '../upstream/header-text.ts'
import { metaPrefix as prefix, sessionVersions, statelessVersion } from '../upstream/session.ts'

const versionKey = `${prefix}protocolVersion`
const logLevelKey = `${prefix}logLevel`
const capabilitiesKey = `${prefix}clientCapabilities`

/** Methods that were removed together with sessions. */
const gone: ReadonlySet<string> = new Set(['initialize', 'ping', 'logging/setLevel'])

const metaOf = ({ params }: RpcRequest): JsonObject => (isObject(params._meta) ? params._meta : {})

/** Whether a request uses this version, by its header or its body. */
export function isStateless({ headers }: ServiceRequest, request: RpcRequest): boolean {
  return headers['mcp-protocol-version'] === statelessVersion || metaOf(request)[versionKey] !== undefined
}

/**
 * Converts the request to the form of older versions. Errors: −32020 in 400 when headers and body differ, −32022 in 400
 * for another version.
 */
export function readStateless({ headers }: ServiceRequest, request: RpcRequest): RpcRequest {
  const meta = metaOf(request)
  const version = meta[versionKey]
  const header = headers['mcp-protocol-version']
  if (version === undefined)
    throw new RpcFault(rpcCodes.invalidParams, `"_meta" must have ${versionKey}.`, { status: 400 })
  if (version !== header) throw mismatch('MCP-Protocol-Version')
  if (version !== statelessVersion) {
    throw new RpcFault(rpcCodes.unsupportedVersion, 'Unsupported protocol version', {
      status: 400,
      data: { supported: [statelessVersion, ...sessionVersions], requested: String(version).slice(0, 100) },
    })
  }
  if (headers['mcp-method'] !== request.method) throw mismatch('Mcp-Method')
  const field = namedParameter(request.method)
  if (field !== undefined && decodeHeader(headers['mcp-name']) !== request.params[field])
    throw mismatch('Mcp-Name')
  const clientCapabilities = meta[capabilitiesKey]
  if (!isObject(clientCapabilities)) {
    throw new RpcFault(rpcCodes.invalidParams, `"_meta" must have ${capabilitiesKey}.`, { status: 400 })
  }
  if (gone.has(request.method))
    throw new RpcFault(rpcCodes.unknownMethod, `The method "${request.method}" is not supported.`, {
      status: 404,
    })
  const kept = Object.fromEntries(Object.entries(meta).filter(([name]) => !name.startsWith(prefix)))
  const { _meta: _, ...params } = request.params
  const passed = Object.keys(kept).length === 0 ? params : { ...params, _meta: kept }
  const logLevel = meta[logLevelKey]
  return {
    ...request,
    params: passed,
    clientCapabilities,
    ...(typeof logLevel === 'string' ? { logLevel } : {}),
  }
}

const mismatch = (name: string) =>
  new RpcFault(rpcCodes.headerMismatch, `The header ${name} does not match the body.`, { status: 400 })

/** `Mcp-Param-…` must repeat the arguments that a tool's schema marks. Errors: −32020 in 400 when they do not. */
export function checkParameterHeaders(
  { headers }: ServiceRequest,
  inputSchema: Json | undefined,
  given: JsonObject,
): void {
  const names = markedParameters(inputSchema)
  if (names.length === 0) return
  const expected = parameterHeaders(inputSchema, given)
  for (const name of names) {
    const sent = headers[name]
    const wanted = expected[name]
    const isSame = (sent === undefined && wanted === undefined) || isSameText(sent, wanted)
    if (!isSame) throw mismatch(name)
  }
}

const isSameText = (sent: string | undefined, wanted: string | undefined) =>
  sent !== undefined && wanted !== undefined && decodeHeader(sent) === decodeHeader(wanted)

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** Whether a client receives a notification, given the log level that it requested (or none). */
export function isWanted({ method, params }: JsonObject, { logLevel }: RpcRequest): boolean {
  if (method !== 'notifications/message') return true
  if (logLevel === undefined) return false
  const level = isObject(params) ? levels.indexOf(String(params.level)) : -1
  return level === -1 || level >= levels.indexOf(logLevel)
}

/** Methods whose results a client may cache. */
const cacheable: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])

/** Converts an answer to this version. Capabilities may differ between users, so the answer must not be shared. */
export function asStateless(method: string, message: JsonObject): JsonObject {
  if (!isObject(message.result)) return message
  const isKept = cacheable.has(method)
  const result: JsonObject = {
    resultType: 'complete',
    ...(isKept ? { ttlMs: 0, cacheScope: 'private' } : {}),
    ...message.result,
  }
  return { ...message, result }
}

/** The result of `server/discover`. */
export function discovered(initialized: JsonObject): JsonObject {
  const { capabilities, serverInfo, instructions } = initialized
  const { logging: _, ...offered } = isObject(capabilities) ? capabilities : {}
  const info: Json = serverInfo ?? null
  return {
    supportedVersions: [statelessVersion, ...sessionVersions],
    capabilities: offered,
    ...(instructions === undefined ? {} : { instructions }),
    _meta: { [`${prefix}serverInfo`]: info },
  }
}
