/** A prefilled answer: a last message of the assistant. Some models refuse one that ends with white space. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** The body with trailing white space removed from a prefilled answer; the same object without any. */
export function withoutTrailingSpace(body: JsonObject): JsonObject {
  const messages = Array.isArray(body.messages) ? body.messages : []
  const last = messages.at(-1)
  if (!isObject(last) || last.role !== 'assistant') return body
  const content = trimmed(last.content)
  return content === last.content
    ? body
    : { ...body, messages: [...messages.slice(0, -1), { ...last, content }] }
}

/** The last part of a list of parts. */
function trimmed(content: Json | undefined): Json | undefined {
  if (typeof content === 'string') return content.trimEnd()
  const part = Array.isArray(content) ? content.at(-1) : undefined
  if (!Array.isArray(content) || !isObject(part) || typeof part.text !== 'string') return content
  const text = part.text.trimEnd()
  return text === part.text ? content : [...content.slice(0, -1), { ...part, text }]
}
