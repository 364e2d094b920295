/**
 * The order of the parts of an assistant's message. `content` has its text, `tool_calls` its calls; `content_blocks` has further
 * blocks. If text or calls precede some of them, `content_blocks` also contains these: texts as `{type: "text", text}`, calls as
 * references `{type: "tool_use", id}`. Parts that are not in `content_blocks` follow: first the rest of the text, then calls.
 */
import { isObject, type Json, type JsonObject } from './json.ts'

/** A piece of text, with the part of the content that it comes from. */
export interface SaidText {
  text: string
  part: JsonObject
}

export type Said =
  | ({ kind: 'text'; block: JsonObject | null } & SaidText)
  | { kind: 'block'; block: JsonObject }
  /** The position in `tool_calls`. */
  | { kind: 'call'; index: number }

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const isText = ({ type }: JsonObject): boolean => type === 'text'
const isCall = ({ type }: JsonObject): boolean => type === 'tool_use'

/**
 * The parts of a message in order.
 * @param texts the text of the message; if absent, the texts among its blocks are used
 */
export function saidInOrder(message: JsonObject, texts: readonly SaidText[]): Said[] {
  const { content_blocks: given, tool_calls } = message
  const blocks = Array.isArray(given) ? given.filter(isObject) : []
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isObject) : []
  const shown = blocks.filter(isText)
  const whole = texts.map(({ text }) => text).join('')
  // Text that was changed since then can no longer be assigned to the blocks.
  const isPlaced = whole === '' || whole.startsWith(shown.map(({ text }) => textOf(text)).join(''))
  const rest = createRest(whole === '' ? shown.map((part) => ({ text: textOf(part.text), part })) : texts)
  const placed = new Set<number>()
  const said = blocks.flatMap((block): Said[] => {
    if (isText(block)) return isPlaced ? rest.take(textOf(block.text).length, block) : []
    if (!isCall(block)) return [{ kind: 'block', block }]
    const index = calls.findIndex(({ id }, position) => id === block.id && !placed.has(position))
    if (index === -1) return []
    placed.add(index)
    return [{ kind: 'call', index }]
  })
  const others = calls.flatMap((_, index): Said[] => (placed.has(index) ? [] : [{ kind: 'call', index }]))
  return [...said, ...rest.take(Number.POSITIVE_INFINITY, null), ...others]
}

/** Takes text piece by piece. */
function createRest(texts: readonly SaidText[]): { take(length: number, block: JsonObject | null): Said[] } {
  let left = [...texts]
  return {
    take(length, block) {
      const taken: Said[] = []
      let missing = length
      while (left.length > 0 && missing > 0) {
        const [first, ...others] = left
        if (first === undefined) break
        const { text, part } = first
        const isWhole = text.length <= missing
        const piece = isWhole ? text : text.slice(0, missing)
        taken.push({ kind: 'text', text: piece, part, block: piece === textOf(block?.text) ? block : null })
        left = isWhole ? others : [{ text: text.slice(missing), part }, ...others]
        missing -= piece.length
      }
      return taken
    },
  }
}

/**
 * The `content_blocks` for these blocks, in order, without the calls that follow all other blocks.
 * @param blocks calls as `{type: "tool_use", id}`
 */
export const blocksInOrder = (blocks: readonly JsonObject[]): JsonObject[] =>
  blocks.slice(0, blocks.findLastIndex((block) => !isCall(block)) + 1)

const ranks: readonly Json[] = ['text', 'tool_use']
const rankOf = (block: JsonObject | undefined): number => ranks.indexOf(block?.type ?? null)

/**
 * The blocks of such a list to send back: only the other blocks if all texts follow them and all calls follow the texts,
 * else the list in order.
 */
export function replayedBlocks(said: readonly JsonObject[]): JsonObject[] {
  const isInterleaved = said.some((block, index) => rankOf(block) < rankOf(said[index - 1]))
  return isInterleaved ? blocksInOrder(said) : said.filter((block) => rankOf(block) === -1)
}
