/** The contents of chat messages: what a dialect writes into a chat request, and reads from a chat answer. */
import { isObject, type Json, type JsonObject } from '../json.ts'

/** Text that was written in several blocks of a system prompt, a user's message or a tool's result. */
const paragraph = '\n\n'

const stringOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Each object of a list, with its path. */
export function eachBlock(content: Json | undefined, path: string): [block: JsonObject, path: string][] {
  const blocks = Array.isArray(content) ? content : []
  return blocks.flatMap((block, index): [JsonObject, string][] =>
    isObject(block) ? [[block, `${path}/${index}`]] : [],
  )
}

/** A part with text. */
export const textPart = (text: Json | undefined): JsonObject => ({ type: 'text', text: stringOf(text) })

/** Plain text becomes a string, which every provider accepts; anything else stays a list of parts. */
export function contentOf(parts: readonly JsonObject[], separator = paragraph): Json {
  const isPlain = parts.every((part) => part.type === 'text' && Object.keys(part).length === 2)
  return isPlain ? parts.map(({ text }) => text).join(separator) : [...parts]
}

/** The text of a content; some providers return parts. */
export function contentText(content: Json | undefined): string {
  if (!Array.isArray(content)) return stringOf(content)
  return content.map((part) => (isObject(part) ? stringOf(part.text) : '')).join('')
}

/** The reasoning of a message or a delta, under the providers' different names. */
export function reasoningOf(message: JsonObject): string {
  return stringOf([message.reasoning_content, message.reasoning].find((text) => typeof text === 'string'))
}

/** Whether a value is a non-empty list. */
export const isFilled = (value: Json | undefined): value is Json[] => Array.isArray(value) && value.length > 0
