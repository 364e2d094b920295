/**
 * Input as the gateway stores and lists it: complete items, each with an id.
 * Reference: https://www.openresponses.org/reference
 */
import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'
import { clientTools } from './client-tools.ts'
import { responsePrefix } from './items.ts'

/** The items of an input. A string is a user message. */
export function inputItems(input: Json | undefined): JsonObject[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return Array.isArray(input) ? input.filter(isObject) : []
}

const kinds: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  reasoning: 'rs',
  ...Object.fromEntries(
    clientTools.flatMap(({ call, prefix, output }) => [
      [call, prefix],
      [output, `${prefix}o`],
    ]),
  ),
}

/** The items as stored with a response. Those without an id get one that contains the response's id. */
export function keptItems(input: Json | undefined, responseId: string): JsonObject[] {
  const token = responseId.slice(responsePrefix.length)
  return inputItems(input).map((item, index) => {
    const type = typeof item.type === 'string' ? item.type : 'message'
    const id =
      typeof item.id === 'string' ? item.id : `${ownMember(kinds, type) ?? 'item'}_${token}_in${index}`
    return { ...item, id, type, ...wholeMessage(item, type) }
  })
}

const callTypes = new Set([
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  ...clientTools.flatMap(({ call, output }) => [call, output]),
])

function wholeMessage(item: JsonObject, type: string): JsonObject {
  const status = { status: item.status ?? 'completed' }
  if (callTypes.has(type)) return status
  if (type !== 'message') return {}
  if (typeof item.content !== 'string') return status
  const part =
    item.role === 'assistant'
      ? { type: 'output_text', text: item.content, annotations: [] }
      : { type: 'input_text', text: item.content }
  return { ...status, content: [part] }
}

/** The id of the response in an item id; null for other ids. */
export function responseOfItem(id: string): string | null {
  const token = /^[a-z]+_([0-9a-zA-Z]+)_(?:in)?\d+$/.exec(id)?.[1]
  return token === undefined ? null : responsePrefix + token
}
