/**
 * Tool use in a stream → tool-call deltas, numbered among the tool calls; in the legacy form, `function_call`.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/core/contract'
import { isLegacy } from './tools.ts'

interface OpenCall {
  index: number
  hasArguments: boolean
}

export interface ToolDeltas {
  start(blockIndex: Json | undefined, block: JsonObject): JsonObject
  input(blockIndex: Json | undefined, delta: JsonObject): JsonObject[]
  stop(blockIndex: Json | undefined): JsonObject[]
}

/** The tool calls of one stream. */
export function toolDeltas(context: CallContext): ToolDeltas {
  const legacy = isLegacy(context.request)
  const open = new Map<Json | undefined, OpenCall>()
  let count = 0

  const addition = (call: OpenCall, text: string): JsonObject => {
    call.hasArguments = true
    return legacy
      ? { function_call: { arguments: text } }
      : { tool_calls: [{ index: call.index, function: { arguments: text } }] }
  }

  return {
    start(blockIndex, block) {
      const call: OpenCall = { index: count++, hasArguments: false }
      open.set(blockIndex, call)
      const text =
        isObject(block.input) && Object.keys(block.input).length > 0 ? JSON.stringify(block.input) : ''
      call.hasArguments = text !== ''
      const named = { name: block.name, arguments: text }
      return legacy
        ? { function_call: named }
        : { tool_calls: [{ index: call.index, id: block.id, type: 'function', function: named }] }
    },
    input(blockIndex, delta) {
      const call = open.get(blockIndex)
      const text = typeof delta.partial_json === 'string' ? delta.partial_json : ''
      return call === undefined || text === '' ? [] : [addition(call, text)]
    },
    /** A call without input streams no JSON at all; its arguments are the empty object. */
    stop(blockIndex) {
      const call = open.get(blockIndex)
      open.delete(blockIndex)
      return call === undefined || call.hasArguments ? [] : [addition(call, '{}')]
    },
  }
}
