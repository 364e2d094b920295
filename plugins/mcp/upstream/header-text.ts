/**
 * Headers of the stateless protocol that repeat parts of a message, and the encoding of text that a header cannot
 * contain. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

/** The parameter that `Mcp-Name` repeats, or undefined. */
export const namedParameter = (method: string): string | undefined =>
  Object.hasOwn(named, method) ? named[method] : undefined

const sentinel = /^=\?base64\?(.*)\?=$/s

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Undefined if the header is missing or its base64 is invalid. */
export function decodeHeader(written: string | undefined): string | undefined {
  const encoded = sentinel.exec(written ?? '')?.[1]
  if (encoded === undefined) return written
  return base64.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined
}

export function encodeHeader(text: string): string {
  const isPlain = /^[\x20-\x7e\t]+$/.test(text) && text.trim() === text && !sentinel.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** `Mcp-Param-…` for the arguments that a tool's schema marks with `x-mcp-header`. */
export function parameterHeaders(inputSchema: Json | undefined, given: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {}
  collect(inputSchema, given, { headers, depth: 0 })
  return headers
}

/** The names of those headers, for any arguments. */
export function markedParameters(inputSchema: Json | undefined, depth = 0): string[] {
  if (!isObject(inputSchema) || depth > maxDepth) return []
  const name = inputSchema['x-mcp-header']
  const own = typeof name === 'string' && token.test(name) ? [`mcp-param-${name.toLowerCase()}`] : []
  const inner = isObject(inputSchema.properties) ? Object.values(inputSchema.properties) : []
  return [...own, ...inner.flatMap((one) => markedParameters(one, depth + 1))]
}

const maxDepth = 10
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

function collect(
  schema: Json | undefined,
  value: Json | undefined,
  { headers, depth }: { headers: Record<string, string>; depth: number },
) {
  if (!isObject(schema) || value === undefined || value === null || depth > maxDepth) return
  const name = schema['x-mcp-header']
  if (typeof name === 'string' && token.test(name)) {
    if (typeof value === 'string') headers[`mcp-param-${name.toLowerCase()}`] = encodeHeader(value)
    else if (typeof value === 'boolean' || Number.isSafeInteger(value))
      headers[`mcp-param-${name.toLowerCase()}`] = String(value)
  }
  if (!isObject(schema.properties) || !isObject(value)) return
  for (const [member, inner] of Object.entries(schema.properties))
    collect(inner, value[member], { headers, depth: depth + 1 })
}
