/**
 * Members of deltas for content other than text and calls, in a stream. Texts and calls that precede such content are
 * repeated in `content_blocks` (calls as references) to preserve the order. They are sent when the content begins.
 */
import type { Json, JsonObject } from '@gateway/contract'

export interface BlockDeltas {
  /** Adds text to a block; returns the members of the delta in addition to the text. */
  text(index: Json | undefined, text: string): JsonObject
  /** Called when a tool call begins. */
  call(index: Json | undefined, id: string): void
  /** The delta for a piece of another block. */
  block(index: Json | undefined, piece: JsonObject): JsonObject
}

export function blockDeltas(): BlockDeltas {
  let waiting: JsonObject[] = []
  let hasCall = false

  function takeWaiting(): JsonObject[] {
    const taken = waiting
    waiting = []
    hasCall = false
    return taken
  }

  return {
    text(index = 0, text) {
      if (text === '') return {}
      const before = hasCall ? takeWaiting() : []
      const last = waiting.at(-1)
      if (last?.type === 'text' && last.index === index) last.text = `${String(last.text)}${text}`
      else waiting.push({ index, type: 'text', text })
      return before.length === 0 ? {} : { content_blocks: before }
    },
    call(index = 0, id) {
      hasCall = true
      waiting.push({ index, type: 'tool_use', id })
    },
    block: (index = 0, piece) => ({ content_blocks: [...takeWaiting(), { index, ...piece }] }),
  }
}
