/**
 * Tools that the vendor runs itself, in a stream: their input arrives in parts, and a block is shown once it is
 * complete.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { parseObject, textOf } from '../../chat/values.ts'

export interface ServerTools {
  /** Whether the block's input follows in later events. */
  start(blockIndex: Json | undefined, block: JsonObject): boolean
  input(blockIndex: Json | undefined, delta: JsonObject): void
  /** The complete block; null for other blocks. */
  stop(blockIndex: Json | undefined): JsonObject | null
}

/** The vendor's own tools in one stream. */
export function serverTools(): ServerTools {
  const open = new Map<Json | undefined, { block: JsonObject; text: string }>()
  return {
    start(blockIndex, block) {
      const isUse = isObject(block.input)
      if (isUse) open.set(blockIndex, { block, text: '' })
      return isUse
    },
    input(blockIndex, delta) {
      const use = open.get(blockIndex)
      if (use !== undefined) use.text += textOf(delta.partial_json)
    },
    stop(blockIndex) {
      const use = open.get(blockIndex)
      open.delete(blockIndex)
      return use === undefined ? null : { ...use.block, input: parseObject(use.text) ?? use.block.input }
    },
  }
}
