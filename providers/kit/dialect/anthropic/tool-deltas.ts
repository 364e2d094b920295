/**
 * Converts tool use in a stream to tool call chunks with their own numbering.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { ChunkWriter } from '../../chat/chunks.ts'
import { textOf } from '../../chat/values.ts'

interface OpenCall {
  index: number
  hasArguments: boolean
}

export interface ToolDeltas {
  start(blockIndex: Json | undefined, block: JsonObject): JsonObject[]
  input(blockIndex: Json | undefined, delta: JsonObject): JsonObject[]
  stop(blockIndex: Json | undefined): JsonObject[]
}

/** The tool calls of one stream. */
export function toolDeltas(writer: ChunkWriter): ToolDeltas {
  const open = new Map<Json | undefined, OpenCall>()
  let count = 0
  return {
    start(blockIndex, { id, name, input }) {
      const text = isObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : ''
      const call: OpenCall = { index: count++, hasArguments: text !== '' }
      open.set(blockIndex, call)
      return writer.call(call.index, { id: textOf(id), name: textOf(name), arguments: text })
    },
    input(blockIndex, delta) {
      const call = open.get(blockIndex)
      const text = textOf(delta.partial_json)
      if (call === undefined || text === '') return []
      call.hasArguments = true
      return writer.callArguments(call.index, text)
    },
    /** A call without input streams no JSON; its arguments are the empty object. */
    stop(blockIndex) {
      const call = open.get(blockIndex)
      open.delete(blockIndex)
      return call === undefined || call.hasArguments ? [] : writer.callArguments(call.index, '{}')
    },
  }
}
