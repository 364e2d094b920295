/**
 * The texts of `/v1/responses`: instructions, and every string that may be text in items (messages, tool calls and
 * results, reasoning). This includes unknown items, so denied text cannot leak through them.
 * Reference: https://www.openresponses.org/reference
 */
import { isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import { createStringReader } from '@gateway/contract/dialect'

/** Skips members that contain names, markers or bytes, which are never text. */
export const readStrings = createStringReader(
  new Set([
    'type',
    'id',
    'role',
    'status',
    'phase',
    'name',
    'namespace',
    'caller',
    'call_id',
    'server_label',
    'container_id',
    'approval_request_id',
    'encrypted_content',
    'file_id',
    'file_data',
    'file_url',
    'image_url',
    'input_audio',
    'detail',
    'result',
    'logprobs',
    'prompt_cache_breakpoint',
  ]),
)

/** The texts of a request. */
export function readResponseRequest(body: JsonObject, parts: TextPart[]): void {
  readStrings(body.instructions, { role: 'system', path: '/instructions', parts })
  if (isObject(body.prompt))
    readStrings(body.prompt.variables, { role: 'prompt', path: '/prompt/variables', parts })
  if (typeof body.input === 'string') parts.push({ role: 'user', text: body.input, path: '/input' })
  else readItems(body.input, '/input', parts)
}

/** The texts of an answer. */
export const readResponse = (body: JsonObject, parts: TextPart[]): void =>
  readItems(body.output, '/output', parts)

/** The texts of a list of items. */
export const readItemList = (body: JsonObject, parts: TextPart[]): void =>
  readItems(body.data, '/data', parts)

function readItems(items: Json | undefined, path: string, parts: TextPart[]): void {
  if (!Array.isArray(items)) return
  for (const [index, item] of items.entries()) if (isObject(item)) readItem(item, `${path}/${index}`, parts)
}

/** The texts of one item. */
export function readItem(item: JsonObject, path: string, parts: TextPart[]): void {
  readStrings(item, { role: roleOf(item), path, parts })
}

function roleOf({ role, type }: JsonObject): string {
  if (typeof role === 'string') return role
  return typeof type === 'string' && type.endsWith('_output') ? 'tool' : 'assistant'
}
