/**
 * Content blocks of a message stream, which are told one after the other: a block that begins while another one is open
 * waits until that is complete. Tool calls that a provider interleaves are put in order so; what is not interleaved is
 * not delayed. Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'

interface Block {
  /** Which later deltas belong to it: `text`, `thinking`, `tool 0`. */
  key: string
  start: JsonObject
  /** Told when it is its turn. */
  waiting: JsonObject[]
  isOver: boolean
  /** Of a tool; null for other blocks. */
  input: ToolInput | null
}

interface ToolInput {
  /** JSON, as far as it came. */
  text: string
  /** Its length when it was last seen to be incomplete. */
  incompleteChars: number
}

export interface BlockWriter {
  /** A delta of the block with this key, which begins if it is not the newest of its kind. */
  add(key: string, start: () => JsonObject, delta: JsonObject | null): JsonObject[]
  /** Every block is complete. */
  end(): JsonObject[]
  hasCalls(): boolean
}

/** The blocks of one stream. */
export function createBlockWriter(): BlockWriter {
  /** The first of them is the one that is told now. */
  let queue: Block[] = []
  let index = 0
  let isOpen = false
  let calls = 0
  /** Tools that were told completely: nothing can be added to them. */
  const closed = new Set<string>()

  /** What can be told now. */
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
    // Text and thinking go on in a new block; of a tool, only the JSON says whether it is complete.
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

/** Whether nothing can follow a tool's input any more. Looks again only at what has grown. */
function isComplete(input: ToolInput): boolean {
  const { text } = input
  if (text.length === input.incompleteChars) return false
  if (text.trimEnd().endsWith('}') && isObject(parseJson(text))) return true
  input.incompleteChars = text.length
  return false
}
