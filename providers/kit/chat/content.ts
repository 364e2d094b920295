/**
 * The content of messages, part by part.
 * Errors: `invalid_body` for parts that a provider does not support.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { refusal } from './refusal.ts'

export interface ContentPart {
  part: JsonObject
  /** Its JSON pointer in the request. */
  path: string
}

/** The parts of a message's content; a string is one part. */
export function contentParts(content: Json | undefined, path: string): ContentPart[] {
  if (typeof content === 'string') return [{ part: { type: 'text', text: content }, path }]
  if (!Array.isArray(content)) return []
  return content.flatMap((part, index) => (isObject(part) ? [{ part, path: `${path}/${index}` }] : []))
}

/** The text of a text part, or of an assistant's earlier refusal; null for other parts. */
export function partText(part: JsonObject): string | null {
  if (part.type === 'refusal' && typeof part.refusal === 'string') return part.refusal
  return part.type === 'text' && typeof part.text === 'string' ? part.text : null
}

/** An earlier assistant message: its content, or its refusal. */
export function saidContent({ content, refusal }: JsonObject): Json | undefined {
  const isSaid = content !== undefined && content !== null && content !== ''
  return isSaid || typeof refusal !== 'string' ? content : refusal
}

/** The texts of a content that must be text, part by part. */
export function textParts(content: Json | undefined, path: string, provider: string): string[] {
  return contentParts(content, path).map(({ part, path: at }) => {
    const text = partText(part)
    if (text === null) throw unsupportedPart(part, at, provider)
    return text
  })
}

/** The same as one text. */
export function plainText(content: Json | undefined, path: string, provider: string): string {
  return textParts(content, path, provider).join('')
}

/** The error for a part that the provider does not support. */
export function unsupportedPart(part: JsonObject, path: string, provider: string): Error {
  return refusal(provider, `${path}/type`, `content of type ${String(part.type)} is not supported`)
}

/** The URL of an image part; empty when it has none. */
export function imageUrl(part: JsonObject): string {
  const url = isObject(part.image_url) ? part.image_url.url : part.image_url
  return typeof url === 'string' ? url : ''
}

/** The stop sequences of a request as a list, or null. Empty texts are ignored. */
export function stopSequences({ stop }: JsonObject): string[] | null {
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter(
    (item) => typeof item === 'string' && item !== '',
  ) as string[]
  return sequences.length === 0 ? null : sequences
}

/** The limit on generated tokens; undefined when the request sets none. */
export function maxTokens({
  max_completion_tokens: current,
  max_tokens: old,
}: JsonObject): number | undefined {
  return [current, old].find((value) => typeof value === 'number')
}
