/**
 * Stores `extra_content` of a chat message, which its provider needs back, in a block that clients return unchanged.
 * Providers with this format cannot read the block and do not receive it.
 */
import { carriedMark, isObject, type JsonObject, parseJson } from '@gateway/contract'

/** Creates the block. */
export const carryExtra = (extra: JsonObject): JsonObject => ({
  type: 'redacted_thinking',
  data: carriedMark + Buffer.from(JSON.stringify(extra)).toString('base64url'),
})

/** The content of such a block; null for blocks of providers. */
export function carriedExtra({ type, data }: JsonObject): JsonObject | null {
  if (type !== 'redacted_thinking' || typeof data !== 'string' || !data.startsWith(carriedMark)) return null
  const extra = parseJson(Buffer.from(data.slice(carriedMark.length), 'base64url').toString('utf8'))
  return isObject(extra) ? extra : {}
}
