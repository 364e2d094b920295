/**
 * Reasoning that a provider needs back (signed or redacted blocks) is kept in the reasoning item's `encrypted_content`:
 * the caller returns the item unchanged, or the gateway stores it. Thoughts in the item's summary are only referenced
 * there, so that their text exists once and checks see all of it.
 */
import { carriedMark, isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'

/** The provider's own blocks, as in `content_blocks` of a chat message, alongside the summary of their texts. */
export function carryBlocks(blocks: readonly JsonObject[], summary: readonly string[]): string {
  let place = 0
  const carried = blocks.map((block) => {
    const { thinking } = block
    if (typeof thinking !== 'string' || thinking === '' || thinking !== summary[place]) return block
    return { ...block, thinking: place++ }
  })
  return carriedMark + Buffer.from(JSON.stringify(carried)).toString('base64url')
}

/** The blocks in a reasoning item; none when it was not written by the gateway or cannot be read. */
export function carriedBlocks({ encrypted_content: content, summary }: JsonObject): JsonObject[] {
  if (typeof content !== 'string' || !content.startsWith(carriedMark)) return []
  const text = Buffer.from(content.slice(carriedMark.length), 'base64url').toString('utf8')
  const blocks = parseJson(text)
  if (!Array.isArray(blocks)) return []
  return blocks.filter(isObject).flatMap((block) => {
    if (typeof block.thinking !== 'number') return [block]
    const thinking = textAt(summary, block.thinking)
    return thinking === null ? [] : [{ ...block, thinking }]
  })
}

function textAt(summary: Json | undefined, place: number): string | null {
  const part = Array.isArray(summary) ? summary[place] : undefined
  return isObject(part) && typeof part.text === 'string' ? part.text : null
}
