/**
 * Sends the content blocks of a message stream one after another. A block that begins while another is open waits until
 * that one is complete. This orders interleaved tool calls; other blocks are not delayed.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'

interface Block {
  /** The key of deltas that belong to the block: `text`, `thinking`, `tool 0`. */
  key: string
  start: JsonObject
  /** Deltas that are sent when it is the block's turn. */
  waiting: JsonObject[]
  isOver: boolean
  /** The input of a tool; null for other blocks. */
  input: ToolInput | null
}

interface ToolInput {
  /** JSON as received so far. */
  text: string
  /** The length of the text when it was last found incomplete. */
  incompleteChars: number
}

export interface BlockWriter {
  /** Adds a delta to the block with this key. Starts a new block if that one is not the newest of its kind. */
  add(key: string, start: () => JsonObject, delta: JsonObject | null): JsonObject[]
  /** Completes all blocks. */
  end(): JsonObject[]
  hasCalls(): boolean
}

/** Writes the blocks of one stream. */
export function createBlockWriter(): BlockWriter {
  /** Blocks in order; the first one is being sent. */
  let queue: Block[] = []
  let index = 0
  let isOpen = false
  let calls = 0
  /** Tools that have been sent completely, to which nothing can be added. */
  const closed = new Set<string>()

  /** The events that can be sent now. */
  function tell(): JsonObject[] {
    const events: JsonObject[] = []
    for (let [block] = queue; block !== undefined; [block] = queue) {
      if (!isOpen) events.push({ type: 'content_block_start', index, content_block: block.start })
      isOpen = true
      events.push(...block.waiting.map((delta) => ({ type: 'content_block_delta', index, delta })))
      block.waiting = []
      if (!block.isOver) break
      events.push({ type: 'content_block_stop', index })
      if (block.input !== null) closed.add(block.key)
      isOpen = false
      index += 1
      queue = queue.slice(1)
    }
    return events
  }

  function blockOf(key: string, start: () => JsonObject): Block {
    const newest = queue[queue.length - 1]
    const isCall = key.startsWith('tool ')
    const known = isCall ? queue.find((block) => block.key === key) : newest?.key === key ? newest : undefined
    if (known !== undefined) return known
    // Text and thinking can continue in a new block, but a tool is complete only when its JSON is.
    for (const block of queue) block.isOver ||= block.input === null || isComplete(block.input)
    const made: Block = {
      key,
      start: start(),
      waiting: [],
      isOver: false,
      input: isCall ? { text: '', incompleteChars: 0 } : null,
    }
    if (isCall) calls += 1
    queue = [...queue, made]
    return made
  }

  return {
    add(key, start, delta) {
      if (closed.has(key)) return []
      const block = blockOf(key, start)
      if (delta !== null) {
        block.waiting.push(delta)
        if (block.input !== null && typeof delta.partial_json === 'string')
          block.input.text += delta.partial_json
      }
      const [told] = queue
      if (told !== block && told?.input != null) told.isOver ||= isComplete(told.input)
      return tell()
    },
    end() {
      for (const block of queue) block.isOver = true
      return tell()
    },
    hasCalls: () => calls > 0,
  }
}

/** Whether a tool's input is complete. Checks again only after it has grown. */
function isComplete(input: ToolInput): boolean {
  const { text } = input
  if (text.length === input.incompleteChars) return false
  if (text.trimEnd().endsWith('}') && isObject(parseJson(text))) return true
  input.incompleteChars = text.length
  return false
}
