/**
 * Stores reasoning that a provider needs back (signed or redacted blocks) in the reasoning item's `encrypted_content`,
 * which the caller returns unchanged or the gateway stores. Thoughts in the item's summary are only referenced there,
 * so their text exists once and checks see all of it.
 */
import { carriedMark, isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'

/**
 * Packs the provider's blocks (as in `content_blocks` of a chat message) for an item with this summary of their texts.
 */
export function carryBlocks(blocks: readonly JsonObject[], summary: readonly string[]): string {
  let place = 0
  const carried = blocks.map((block) => {
    const { thinking } = block
    if (typeof thinking !== 'string' || thinking === '' || thinking !== summary[place]) return block
    return { ...block, thinking: place++ }
  })
  return carriedMark + Buffer.from(JSON.stringify(carried)).toString('base64url')
}

/** The blocks in a reasoning item; none if the gateway did not write it or it cannot be read. */
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
