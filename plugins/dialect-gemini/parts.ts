/** Creates the parts of an answer from a chat message or its chunks. */
import {
  carriedSignature,
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '@gateway/contract'

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export interface Call {
  id: string
  name: string
  /** JSON, as received. */
  input: string
  /** The data that its provider needs back with the call. */
  extra: JsonObject | null
}

/** Thoughts that a provider needs back with the next part that can carry them. */
export interface Needed {
  blocks: readonly JsonObject[]
  /** The number of blocks that came before the text in front of that part. */
  leading: number
}

/**
 * Packs the data that a chat provider needs back with a part (the thoughts before it, and `extra_content`) into a
 * signature. Returns an empty object without such data.
 */
export function signed({ blocks, leading }: Needed, extra: JsonObject | null): JsonObject {
  if (blocks.length === 0 && extra === null) return {}
  const carried = {
    ...(blocks.length === 0 ? {} : { blocks: [...blocks] }),
    ...(leading === 0 ? {} : { leading }),
    ...(extra === null ? {} : { extra_content: extra }),
  }
  return { thoughtSignature: carriedSignature(carried) }
}

/** Whether a provider needs this block back, because it is signed or unreadable. */
export const isNeeded = ({ type, signature, data }: JsonObject): boolean =>
  (type === 'thinking' && textOf(signature) !== '') || (type === 'redacted_thinking' && textOf(data) !== '')

export const thoughtPart = (text: string): JsonObject => ({ text, thought: true })

/** An image or audio of an answer as bytes; null for a URL, for which the format has no part. */
export function shownPart(block: JsonObject): JsonObject | null {
  const image = isObject(block.image_url) ? block.image_url.url : block.image_url
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(textOf(image)) ?? []
  return block.type === 'image_url' && mimeType !== undefined && data !== undefined
    ? { inlineData: { mimeType, data } }
    : null
}

/**
 * The part of a call; null if its arguments were cut off.
 * @param isCut whether the answer reached its token limit; incomplete arguments are then not an error
 */
export function callPart(
  { id, name, input, extra }: Call,
  needed: Needed,
  isCut: boolean,
): JsonObject | null {
  const args = input.trim() === '' ? {} : parseJson(input)
  if (isObject(args)) return { functionCall: { id, name, args }, ...signed(needed, extra) }
  if (isCut) return null
  throw new GatewayError(
    'upstream_invalid_response',
    'The provider called a tool with arguments that are not a JSON object.',
  )
}
