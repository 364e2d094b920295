/**
 * What a provider needs to see again of its reasoning (signed or redacted blocks) travels in the reasoning item's
 * `encrypted_content`: the caller gives the item back as it came, or the gateway keeps it. Of a thought that stands in
 * the item's summary only the place is written, so that its text stands in one place and checks see all of it.
 */
import { carriedMark, isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'

/** Blocks of the provider's own, as `content_blocks` of a chat message holds them, beside the summary of their texts. */
export function carryBlocks(blocks: readonly JsonObject[], summary: readonly string[]): string {
  let place = 0
  const carried = blocks.map((block) => {
    const { thinking } = block
    if (typeof thinking !== 'string' || thinking === '' || thinking !== summary[place]) return block
    return { ...block, thinking: place++ }
  })
  return carriedMark + Buffer.from(JSON.stringify(carried)).toString('base64url')
}

/** The blocks that a reasoning item carries; none when it is another's, or nothing of it can be read. */
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
