/**
 * Splits a request into the text that the semantic cache compares, and the rest, which must be equal. The text is a
 * conversation without its first system message, or a completion's prompt. A request with content other than text is
 * not compared.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Endpoint } from '@gateway/flow'

export interface Comparable {
  text: string
  /** The body without the text. */
  rest: JsonObject
}

/** Longer texts are rarely rephrased questions, and embedding models refuse them. */
const maxChars = 100_000

/** Null when only exact matches are possible. */
export function comparableText({ id }: Pick<Endpoint, 'id'>, body: JsonObject): Comparable | null {
  const found = id === 'chatComplete' ? ofMessages(body) : id === 'complete' ? ofPrompt(body) : null
  return found === null || found.text.trim() === '' || found.text.length > maxChars ? null : found
}

function ofPrompt({ prompt, ...rest }: JsonObject): Comparable | null {
  return typeof prompt === 'string' ? { text: prompt, rest } : null
}

function ofMessages({ messages, ...rest }: JsonObject): Comparable | null {
  if (!Array.isArray(messages)) return null
  const system = messages.findIndex((message) => isObject(message) && message.role === 'system')
  const lines: string[] = []
  for (const [index, message] of messages.entries()) {
    if (index === system) continue
    const line = lineOf(message)
    if (line === null) return null
    lines.push(line)
  }
  return { text: lines.join('\n'), rest: { ...rest, system: messages[system] ?? null } }
}

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant'])

/** Null for content other than text, such as tool calls and their results. */
function lineOf(message: Json): string | null {
  if (!isObject(message)) return null
  const { role, content, ...more } = message
  if (!roles.has(role) || Object.values(more).some((value) => value !== null)) return null
  const text = textOf(content)
  return text === null ? null : `${String(role)}: ${text}`
}

function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return null
  const texts = content.map((part) =>
    isObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : null,
  )
  return texts.some((text) => text === null) ? null : texts.join('\n')
}
