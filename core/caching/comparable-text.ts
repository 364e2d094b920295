/**
 * What the semantic cache compares of a request, and what has to be equal beside it: of a conversation everything but the
 * first system message, of a completion the prompt. A request with anything but text there is not compared at all.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Endpoint } from '../flow/endpoint.ts'

export interface Comparable {
  text: string
  /** The body without the text. */
  rest: JsonObject
}

/** More text than this is no question that somebody asks again in other words; models of embeddings refuse it, too. */
const maxChars = 100_000

/** Null where only exact matches can be found. */
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

/** Null for what holds more than text, such as calls of tools and their results. */
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
