/**
 * What a request says of its tools, in every format: names, descriptions, and in the schemas of their parameters the
 * strings that a model reads. The role is `tool_definition`: nobody of the conversation said it.
 */
import type { TextPart } from '@gateway/contract'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { TextReader } from '../../flow/endpoint.ts'

export const toolDefinition = 'tool_definition'

/** Members whose string, or list of strings, a model reads. */
const told = new Set([
  'name',
  'description',
  'server_description',
  'title',
  'enum',
  'const',
  'default',
  'examples',
  'definition',
])
/** Members that carry no words, and those of a tool's service: where it is and what it is asked with. */
const silent = new Set(['headers', 'authorization', 'cache_control', 'allowed_tools'])

/** Gathers the texts of `tools`, and of the older `functions`. */
function readToolDefinitions(body: JsonObject, parts: TextPart[]): void {
  if (body.tools !== undefined) readBelow(body.tools, '/tools', parts)
  if (body.functions !== undefined) readBelow(body.functions, '/functions', parts)
}

interface Place {
  path: string
  value: Json | undefined
  isTold: boolean
}

/** By hand, for a schema may be nested deeper than calls can be. */
function readBelow(tools: Json, path: string, parts: TextPart[]): void {
  const rest: Place[] = [{ path, value: tools, isTold: false }]
  for (let place = rest.pop(); place !== undefined; place = rest.pop()) {
    if (typeof place.value === 'string') {
      if (place.isTold) parts.push({ role: toolDefinition, text: place.value, path: place.path })
    } else rest.push(...placesBelow(place).reverse())
  }
}

function placesBelow({ path, value, isTold }: Place): Place[] {
  if (Array.isArray(value))
    return value.map((item, index) => ({ path: `${path}/${index}`, value: item, isTold }))
  if (!isObject(value)) return []
  return Object.entries(value)
    .filter(([key]) => !silent.has(key))
    .map(([key, member]) => ({
      path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      value: member,
      isTold: told.has(key),
    }))
}

/** What a request says of its tools stands first, so that a conversation's end is the end. */
export function withTools(read: TextReader): TextReader {
  return (body, parts) => {
    readToolDefinitions(body, parts)
    read(body, parts)
  }
}
