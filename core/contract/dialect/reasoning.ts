/**
 * The reasoning of a chat answer or of one of its chunks: plain text (`reasoning_content`, or `reasoning` as some
 * providers call it), or the provider's own blocks, some of which must be returned unchanged.
 */
import { isObject, type Json, type JsonObject, ownMember } from '../json.ts'

export interface Thought {
  text: string
  /** Identifies a thought within an answer. */
  part: number
}

const blockTypes = ['thinking', 'redacted_thinking']

/** The reasoning blocks of a message or delta, each with its declared index. */
function thinkingBlocks(message: JsonObject): [index: number, block: JsonObject][] {
  const blocks: Json[] = Array.isArray(message.content_blocks) ? message.content_blocks : []
  return blocks.flatMap((block, position): [number, JsonObject][] =>
    isObject(block) && typeof block.type === 'string' && blockTypes.includes(block.type)
      ? [[typeof block.index === 'number' ? block.index : position, block]]
      : [],
  )
}

/** The texts of a message's or delta's reasoning. */
export function thoughtsOf(message: JsonObject): Thought[] {
  const plain = [message.reasoning_content, message.reasoning].find(isText)
  if (isText(plain)) return [{ text: plain, part: 0 }]
  return thinkingBlocks(message).flatMap(([part, { thinking }]) =>
    isText(thinking) ? [{ text: thinking, part }] : [],
  )
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''

/** Assembles blocks from deltas: texts are appended, everything else is set once. */
interface Blocks {
  /** Appends the reasoning of a delta. Returns whether it has any. */
  add(delta: JsonObject): boolean
  /** Adds a complete block after all others. */
  carry(block: JsonObject): void
  /** The blocks so far. */
  list(): JsonObject[]
  /** Returns the blocks so far, and begins anew. */
  take(): JsonObject[]
}

export function createBlocks(): Blocks {
  let blocks = new Map<number, JsonObject>()
  let carried: JsonObject[] = []
  const list = () => {
    const sorted = [...blocks].sort(([left], [right]) => left - right).map(([, block]) => block)
    return [...sorted, ...carried]
  }
  return {
    add(delta) {
      const pieces = thinkingBlocks(delta)
      for (const [index, { index: _, ...piece }] of pieces) blocks.set(index, join(blocks.get(index), piece))
      return pieces.length > 0
    },
    carry: (block) => void carried.push(block),
    list,
    take() {
      const all = list()
      blocks = new Map()
      carried = []
      return all
    },
  }
}

function join(block: JsonObject | undefined, piece: JsonObject): JsonObject {
  const joined = { ...block }
  for (const [key, value] of Object.entries(piece)) {
    const known = ownMember(joined, key)
    const grows = key !== 'type' && typeof known === 'string' && typeof value === 'string'
    joined[key] = grows ? known + value : value
  }
  return joined
}
