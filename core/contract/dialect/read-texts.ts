/**
 * Building blocks for the text readers of endpoints. A text is identified by its JSON pointer
 * (https://www.rfc-editor.org/rfc/rfc6901). Images, token arrays and embeddings are not text. Also the lists of a body and
 * of a stream's events.
 */
import type { TextPart } from '../guardrail.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { TextReader } from './endpoint.ts'

/** Where a reader adds the texts of a value. */
export interface TextSink {
  role: string
  /** JSON pointer of the value. */
  path: string
  parts: TextPart[]
}

/** Adds a string. */
export function addText(value: Json | undefined, { role, path, parts }: TextSink): void {
  if (typeof value === 'string') parts.push({ role, text: value, path })
}

/** Adds a string, or the texts of a list of strings and of objects with a text. */
export function addTexts(value: Json | undefined, sink: TextSink): void {
  addText(value, sink)
  if (!Array.isArray(value)) return
  const { role, path, parts } = sink
  for (const [index, item] of value.entries()) {
    if (typeof item === 'string') addText(item, { role, path: `${path}/${index}`, parts })
    else if (isObject(item))
      for (const member of ['text', 'refusal', 'thinking'] as const)
        addText(item[member], { role, path: `${path}/${index}/${member}`, parts })
  }
}

type StringReader = (value: Json | undefined, sink: TextSink) => void

/** Adds the strings below a value, in order. @param silent members with names, markers or bytes, at any depth */
export function createStringReader(silent: ReadonlySet<string>): StringReader {
  return function readStrings(value, sink) {
    addText(value, sink)
    if (typeof value !== 'object' || value === null) return
    const { role, path, parts } = sink
    for (const [key, member] of Object.entries(value)) {
      if (silent.has(key)) continue
      readStrings(member, { role, path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, parts })
    }
  }
}

/** Visits the objects of a list. */
export function eachObject(list: Json | undefined, visit: (item: JsonObject, index: number) => void): void {
  if (!Array.isArray(list)) return
  for (const [index, item] of list.entries()) if (isObject(item)) visit(item, index)
}

/** The items of a list that arrives over several chunks, each with its index. */
export function indexed(list: Json | undefined): [index: number, part: JsonObject][] {
  const parts: [number, JsonObject][] = []
  if (!Array.isArray(list)) return parts
  for (const [position, part] of list.entries())
    if (isObject(part)) parts.push([typeof part.index === 'number' ? part.index : position, part])
  return parts
}

/** The texts of a prompt, the request's only text. */
export const promptText: TextReader = (body, parts) =>
  addText(body.prompt, { role: 'prompt', path: '/prompt', parts })

/** The texts of an input. */
export const inputTexts: TextReader = (body, parts) =>
  addTexts(body.input, { role: 'input', path: '/input', parts })

export const toolDefinition = 'tool_definition'

/** Members with strings, or lists of strings, that a model reads. */
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
/** Members without natural language, and a tool service's address and credentials. */
const silent = new Set(['headers', 'authorization', 'cache_control', 'allowed_tools'])

/** Adds the texts of `tools`, and of the older `functions`. */
function readToolDefinitions(body: JsonObject, parts: TextPart[]): void {
  if (body.tools !== undefined) readBelow(body.tools, '/tools', parts)
  if (body.functions !== undefined) readBelow(body.functions, '/functions', parts)
}

interface Place {
  path: string
  value: Json | undefined
  isTold: boolean
}

/** Iterative, because a schema may be nested deeper than the call stack allows. */
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

/** Tool definitions come first, so that the last text is the end of the conversation. */
export function withTools(read: TextReader): TextReader {
  return (body, parts) => {
    readToolDefinitions(body, parts)
    read(body, parts)
  }
}

/** Adds the strings of a body at any depth, in order. */
export function readEveryText(body: JsonObject, role: string, parts: TextPart[]): void {
  // Iterative, because an answer may be nested deeper than the call stack allows.
  const rest: { path: string; value: Json | undefined }[] = [{ path: '', value: body }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { path, value } = next
    if (typeof value === 'string') parts.push({ role, text: value, path })
    if (typeof value !== 'object' || value === null) continue
    const members = Object.entries(value).map(([key, member]) => ({
      path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      value: member,
    }))
    rest.push(...members.reverse())
  }
}
