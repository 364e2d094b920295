/**
 * Converts tool calls of the conversation to `tool_use` blocks, and tool results to `tool_result` blocks. Ids that the
 * API accepts are kept.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 * Errors: `invalid_body` for arguments that are not a JSON object.
 */
import type { ToolResultBlockParam, ToolUseBlockParam } from '@anthropic-ai/sdk/resources/messages'
import type { Json, JsonObject } from '@gateway/contract'
import { acceptedId, wordCharacters } from '../../chat/tool-call-ids.ts'
import { readArguments, readToolCalls } from '../../chat/tools.ts'
import { textOf } from '../../chat/values.ts'
import { inputBlocks } from './content.ts'
import type { Reader } from './types.ts'

/** The calls of an assistant message. */
export function toolUseBlocks(message: JsonObject, path: string, { provider }: Reader): ToolUseBlockParam[] {
  return readToolCalls(message, path, provider).map((call, index) => ({
    type: 'tool_use',
    id: toolUseId(call.id),
    name: call.name,
    input: readArguments(call, `${path}/tool_calls/${index}/function/arguments`, provider),
  }))
}

/** The result of one call: a `tool` message. */
export function resultBlock(message: JsonObject, path: string, reader: Reader): ToolResultBlockParam {
  const content = inputBlocks(message.content, `${path}/content`, reader)
  const id = toolUseId(message.tool_call_id)
  return { type: 'tool_result', tool_use_id: id, ...(content.length === 0 ? {} : { content }) }
}

const toolUseId = (id: Json | undefined): string => acceptedId(textOf(id), wordCharacters)
