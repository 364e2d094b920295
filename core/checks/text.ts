/**
 * The texts of a body: gathered for checks, and written back by mutators. Images, token arrays, tool definitions
 * and embeddings are not text. A text is named by its JSON pointer (https://www.rfc-editor.org/rfc/rfc6901).
 *
 * Every field of a message that reaches a reader is gathered, those beyond the specification as well
 * (`reasoning_content`, thinking blocks): what a check denies in `content` must not slip out beside it.
 */
import type { EndpointId } from '../contract/endpoint.ts'
import type { Phase, TextPart } from '../contract/guardrail.ts'
import { isObject, type Json, type JsonObject } from '../contract/json.ts'

type Reader = (body: JsonObject, parts: TextPart[]) => void

const readRequest: Partial<Record<EndpointId, Reader>> = {
  chatComplete(body, parts) {
    eachObject(body.messages, (message, index) => readMessage(message, `/messages/${index}`, parts))
  },
  complete(body, parts) {
    readTexts(body.prompt, 'prompt', '/prompt', parts)
    add(body.suffix, 'prompt', '/suffix', parts)
  },
  embed: (body, parts) => readTexts(body.input, 'input', '/input', parts),
  imageGenerate: (body, parts) => add(body.prompt, 'prompt', '/prompt', parts),
  rerank(body, parts) {
    add(body.query, 'query', '/query', parts)
    readTexts(body.documents, 'document', '/documents', parts)
  },
}

const readAnswer: Partial<Record<EndpointId, Reader>> = {
  chatComplete(body, parts) {
    eachObject(body.choices, ({ message }, index) => {
      if (isObject(message)) readMessage(message, `/choices/${index}/message`, parts)
    })
  },
  complete(body, parts) {
    eachObject(body.choices, (choice, index) =>
      add(choice.text, 'assistant', `/choices/${index}/text`, parts),
    )
  },
  embed: () => undefined,
  imageGenerate(body, parts) {
    eachObject(body.data, (image, index) =>
      add(image.revised_prompt, 'prompt', `/data/${index}/revised_prompt`, parts),
    )
  },
  rerank: () => undefined,
}

/** Gathers the texts of a request (phase before) or an answer (after), in the order in which they stand. */
export function textParts(endpoint: EndpointId, phase: Phase, body: JsonObject): TextPart[] {
  const parts: TextPart[] = []
  const read = phase === 'before' ? readRequest[endpoint] : readAnswer[endpoint]
  read?.(body, parts)
  return parts
}

/**
 * Picks the parts of the last message: of a chat request, those of its last message (none when that holds only
 * images); of everything else, all. The choices of an answer are all its last message, so that none goes unseen.
 */
export function lastParts(
  endpoint: EndpointId,
  phase: Phase,
  body: JsonObject,
  parts: readonly TextPart[],
): readonly TextPart[] {
  if (phase === 'after' || endpoint !== 'chatComplete' || !Array.isArray(body.messages)) return parts
  const prefix = `/messages/${body.messages.length - 1}/`
  return parts.filter((part) => part.path.startsWith(prefix))
}

/** Joins the texts of parts with newlines. */
export function joinTexts(parts: readonly TextPart[]): string {
  if (parts.length === 1) return parts[0]?.text ?? ''
  return parts.map((part) => part.text).join('\n')
}

function readMessage(message: JsonObject, path: string, parts: TextPart[]): void {
  const role = typeof message.role === 'string' ? message.role : 'assistant'
  readTexts(message.content, role, `${path}/content`, parts)
  add(message.refusal, role, `${path}/refusal`, parts)
  add(message.reasoning_content, role, `${path}/reasoning_content`, parts)
  if (message.content_blocks !== undefined)
    readTexts(message.content_blocks, role, `${path}/content_blocks`, parts)
  eachObject(message.tool_calls, (call, index) => {
    if (isObject(call.function))
      add(call.function.arguments, role, `${path}/tool_calls/${index}/function/arguments`, parts)
    if (isObject(call.custom)) add(call.custom.input, role, `${path}/tool_calls/${index}/custom/input`, parts)
  })
  if (isObject(message.function_call))
    add(message.function_call.arguments, role, `${path}/function_call/arguments`, parts)
}

/** Reads a string, or a list of strings and of objects that hold a text. */
function readTexts(value: Json | undefined, role: string, path: string, parts: TextPart[]): void {
  add(value, role, path, parts)
  if (!Array.isArray(value)) return
  for (const [index, item] of value.entries()) {
    if (typeof item === 'string') add(item, role, `${path}/${index}`, parts)
    else if (isObject(item))
      for (const member of ['text', 'refusal', 'thinking'] as const)
        add(item[member], role, `${path}/${index}/${member}`, parts)
  }
}

function add(value: Json | undefined, role: string, path: string, parts: TextPart[]): void {
  if (typeof value === 'string') parts.push({ role, text: value, path })
}

function eachObject(list: Json | undefined, visit: (item: JsonObject, index: number) => void): void {
  if (!Array.isArray(list)) return
  for (const [index, item] of list.entries()) if (isObject(item)) visit(item, index)
}

/**
 * Makes a body in which the strings at these pointers are replaced and everything else is shared with the old one.
 * @throws Error when a pointer does not lead to a string
 */
export function rewriteTexts(body: JsonObject, texts: ReadonlyMap<string, string>): JsonObject {
  const ours = new Set<object>()
  let result: Json = body
  for (const [path, text] of texts) result = replaceAt(result, parsePointer(path), 0, text, ours)
  if (!isObject(result)) throw new Error('the body itself is not a text')
  return result
}

/** `ours` holds the copies that were made already: they may be written to. */
function replaceAt(node: Json, keys: string[], depth: number, text: string, ours: Set<object>): Json {
  const key = keys[depth]
  if (key === undefined && typeof node === 'string') return text
  if (key === undefined || !holds(node, key)) throw new Error(`there is no text at ${pointer(keys)}`)
  const child = node[key]
  const replacement = replaceAt(child ?? null, keys, depth + 1, text, ours)
  if (replacement === child) return node
  const copy = ours.has(node) ? node : copyOf(node)
  ours.add(copy)
  copy[key] = replacement
  return copy
}

/** Arrays are read and written by their pointer's key, too: `"0"` is as good as 0. */
type Container = { [key: string]: Json | undefined }

function holds(node: Json, key: string): node is Container {
  return typeof node === 'object' && node !== null && key !== '__proto__' && Object.hasOwn(node, key)
}

function copyOf(node: Container): Container {
  return Array.isArray(node) ? Object.assign([], node) : { ...node }
}

/** Writes a JSON pointer. */
export function pointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/**
 * Reads a JSON pointer.
 * @throws Error when it is not one
 */
export function parsePointer(path: string): string[] {
  if (path === '') return []
  if (!path.startsWith('/') || /~(?![01])/.test(path)) throw new Error(`"${path}" is not a JSON pointer`)
  return path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}
