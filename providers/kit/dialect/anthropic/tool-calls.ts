/**
 * Tool calls of the conversation → `tool_use` blocks, tool results → `tool_result` blocks, the legacy
 * `function_call` and `function` role included. Ids are kept; characters that the API refuses become `_`.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 * Errors: `invalid_body` for arguments that are not a JSON object.
 */
import type { ToolResultBlockParam, ToolUseBlockParam } from '@anthropic-ai/sdk/resources/messages'
import { isObject, type Json, type JsonObject } from '@gateway/core/contract'
import { inputBlocks } from './content.ts'
import { refuse } from './refuse.ts'
import type { Reader } from './types.ts'

/** The legacy form has no ids: a call gets one, and the next result of that function's name takes it. */
export interface LegacyCalls {
  open(name: string): string
  close(name: string): string | null
}

/** The legacy calls of one conversation. */
export function legacyCalls(): LegacyCalls {
  const waiting = new Map<string, string>()
  let count = 0
  return {
    open(name) {
      const id = `function_call_${count++}`
      waiting.set(name, id)
      return id
    },
    close(name) {
      const id = waiting.get(name) ?? null
      waiting.delete(name)
      return id
    },
  }
}

/** The calls of an assistant message. */
export function toolUseBlocks(
  message: JsonObject,
  path: string,
  reader: Reader,
  legacy: LegacyCalls,
): ToolUseBlockParam[] {
  const calls: Json[] = Array.isArray(message.tool_calls) ? message.tool_calls : []
  const blocks = calls.map((call, index) => toolUseBlock(call, `${path}/tool_calls/${index}`, reader))
  const { function_call: call } = message
  if (!isObject(call)) return blocks
  const name = textOf(call.name)
  const input = readArguments(call.arguments, `${path}/function_call/arguments`, reader)
  return [...blocks, { type: 'tool_use', id: legacy.open(name), name, input }]
}

function toolUseBlock(call: Json, path: string, reader: Reader): ToolUseBlockParam {
  if (!isObject(call) || !isObject(call.function)) {
    throw refuse(reader, `${path}/type`, 'only calls of functions are supported')
  }
  const input = readArguments(call.function.arguments, `${path}/function/arguments`, reader)
  return { type: 'tool_use', id: toolUseId(call.id), name: textOf(call.function.name), input }
}

/** The arguments as the object that they write; none at all is the empty object. */
function readArguments(value: Json | undefined, path: string, reader: Reader): JsonObject {
  const text = textOf(value).trim()
  if (text === '') return {}
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw refuse(reader, path, 'must be a JSON object, as text')
  return parsed
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The result of one call: a `tool` message, or a legacy `function` message. */
export function resultBlock(
  message: JsonObject,
  path: string,
  reader: Reader,
  legacy: LegacyCalls,
): ToolResultBlockParam {
  const content = inputBlocks(message.content, `${path}/content`, reader)
  const id = message.role === 'tool' ? toolUseId(message.tool_call_id) : legacy.close(textOf(message.name))
  if (id === null) throw refuse(reader, `${path}/name`, 'must name the function of an earlier function_call')
  return { type: 'tool_result', tool_use_id: id, ...(content.length === 0 ? {} : { content }) }
}

/** The API takes letters, digits, `_` and `-`; other providers give ids with dots and colons. */
function toolUseId(id: Json | undefined): string {
  return textOf(id).replace(/[^a-zA-Z0-9_-]/g, '_')
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
