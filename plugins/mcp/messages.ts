/** JSON-RPC 2.0 as MCP uses it. https://modelcontextprotocol.io/specification/2025-11-25/basic */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export type RpcId = string | number

/** The deepest nesting of a message from a client or an upstream: deeper JSON cannot be serialized. */
export const maxDepth = 100

export interface RpcError {
  code: number
  message: string
  data?: Json
}

export interface RpcRequest {
  id: RpcId
  method: string
  params: JsonObject
  /** The capabilities of a client without a session; absent: the client accepts no requests. */
  clientCapabilities?: JsonObject
  /** The lowest level of log messages that a client without a session requests; absent: none. */
  logLevel?: string
}

/** A message that is not a request: a notification, or the answer to a request. */
export interface RpcNote {
  method: string | null
  params: JsonObject
}

export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  timeout: -32001,
  unknownResource: -32002,
  denied: -32000,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  elicitation: -32042,
} as const

/** A protocol error with its HTTP status. */
export class RpcFault extends Error {
  readonly code: number
  readonly status: number
  readonly data: Json | undefined

  constructor(code: number, message: string, { status = 200, data }: { status?: number; data?: Json } = {}) {
    super(message)
    this.code = code
    this.status = status
    this.data = data
  }
}

export const resultMessage = (id: RpcId, result: Json): JsonObject => ({ jsonrpc: '2.0', id, result })

export const errorMessage = (id: RpcId | null, { code, message, data }: RpcError | RpcFault): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: data === undefined ? { code, message } : { code, message, data },
})

const isId = (value: unknown): value is RpcId => typeof value === 'string' || typeof value === 'number'

/** A request has an id; every other message is a note. Throws {@link RpcFault} for anything else. */
export function readMessage(value: unknown): { request: RpcRequest | null; note: RpcNote | null } {
  const invalid = (message: string) => new RpcFault(rpcCodes.invalidRequest, message, { status: 400 })
  if (!isObject(value) || value.jsonrpc !== '2.0') throw invalid('The message is not JSON-RPC 2.0.')
  const { id, method, params } = value
  if (params !== undefined && !isObject(params)) throw invalid('"params" must be an object.')
  const given = (params ?? {}) as JsonObject
  if (method === undefined && ('result' in value || 'error' in value))
    return { request: null, note: { method: null, params: given } }
  if (typeof method !== 'string' || method === '') throw invalid('"method" must be a string.')
  if (id === undefined) return { request: null, note: { method, params: given } }
  if (!isId(id)) throw invalid('"id" must be a string or a number.')
  return { request: { id, method, params: given }, note: null }
}
