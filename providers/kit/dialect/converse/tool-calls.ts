/**
 * Converts tool calls of the conversation to `toolUse` blocks, and tool results to `toolResult` blocks. Without tools
 * in the request the API accepts neither: then both are sent as text.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html
 * Errors: `invalid_body` for arguments that are not a JSON object.
 */
import type { Json, JsonObject } from '@gateway/contract'
import { acceptedId, wordCharacters } from '../../chat/tool-call-ids.ts'
import { readArguments, readToolCalls } from '../../chat/tools.ts'
import { textOf } from '../../chat/values.ts'
import { resultBlocks } from './content.ts'
import type { Reader, WireBlock, WireResultBlock } from './types.ts'

/** The calls of an assistant message. */
export function callBlocks(message: JsonObject, path: string, reader: Reader): WireBlock[] {
  return readToolCalls(message, path, reader.provider).map((call, index): WireBlock => {
    const input = readArguments(call, `${path}/tool_calls/${index}/function/arguments`, reader.provider)
    const id = toolUseId(call.id)
    if (reader.hasTools) return { toolUse: { toolUseId: id, name: call.name, input } }
    return { text: `[Tool call ${id}: ${call.name}(${JSON.stringify(input)})]` }
  })
}

/** The result of one call: a `tool` message. */
export function callResult(message: JsonObject, path: string, reader: Reader): WireBlock[] {
  const { blocks, cachePoint } = resultBlocks(message.content, `${path}/content`, reader)
  const id = toolUseId(message.tool_call_id)
  if (!reader.hasTools) {
    return [{ text: `[Result of tool call ${id}:]` }, ...blocks.flatMap(asContent), ...cachePoint]
  }
  // Some models refuse a result without a block; all accept an empty text.
  const content = blocks.length === 0 ? [{ text: '' }] : blocks
  return [{ toolResult: { toolUseId: id, content } }, ...cachePoint]
}

/** The blocks of a result that can also appear in messages. */
function asContent({ text, image, document, video }: WireResultBlock): WireBlock[] {
  if (text !== undefined) return [{ text }]
  if (image !== undefined) return [{ image }]
  if (document !== undefined) return [{ document }]
  return video === undefined ? [] : [{ video }]
}

const toolUseId = (id: Json | undefined): string => acceptedId(textOf(id), wordCharacters)
