/**
 * The session key of a request for `strategy.sticky`: requests of one session go to the same target and hit the
 * provider's prompt cache.
 */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Input, Routed } from '@gateway/flow'

/** When nothing separates the repeated part of a text from the rest, its first kilobyte is used. */
const prefixChars = 1024

export interface SessionKey {
  /** Its source: `auto`, `user`, `metadata.team`. */
  kind: string
  /** A hash, which reveals nothing about the request. */
  hash: string
}

/** The part of a request that determines its session. */
export type SessionRequest = Pick<Routed, 'headers' | 'caller' | 'options'> & { input: Pick<Input, 'body'> }

/** @param by `auto`, `user`, `metadata.KEY` or `header.NAME`; falls back to `auto` when the request lacks it */
export function sessionKeyOf(exchange: SessionRequest, by: string): SessionKey {
  const named = namedKey(exchange, by)
  const kind = named === null ? 'auto' : by
  const workspace = exchange.caller.identity.workspaceId
  const material = named ?? conversationStart(exchange.input.body)
  const hash = createHash('sha256')
    .update(JSON.stringify([workspace, kind, material]))
    .digest('base64url')
  return { kind, hash }
}

function namedKey({ headers, options, input: { body } }: SessionRequest, by: string): string | null {
  if (by.startsWith('metadata.')) return options.metadata[by.slice('metadata.'.length)] ?? null
  if (by.startsWith('header.')) return headers[by.slice('header.'.length).toLowerCase()] ?? null
  if (by !== 'user') return null
  // In the Messages format the user is in the metadata.
  const user = body.user ?? (isObject(body.metadata) ? body.metadata.user_id : undefined)
  return typeof user === 'string' && user !== '' ? user : null
}

/** The common parts of a conversation's requests: model, system message, tools and the first user message. */
function conversationStart(body: JsonObject): Json {
  const { model = null, tools = null, system = body.systemInstruction ?? null, instructions = null } = body
  const items = [body.messages, body.input, body.contents].find((list) => Array.isArray(list)) ?? null
  if (Array.isArray(items)) {
    const first = (...roles: string[]) =>
      items.find((item) => isObject(item) && roles.includes(String(item.role)))
    const opening = first('user') ?? items[0] ?? null
    return [model, system, instructions, first('system', 'developer') ?? null, tools, contentOf(opening)]
  }
  const text = body.prompt ?? body.input ?? null
  return [model, instructions, tools, typeof text === 'string' ? text.slice(0, prefixChars) : text]
}

/** The same for a message of one text in any notation, and for its copy in a stored response, which has an id. */
function contentOf(item: Json): Json {
  if (!isObject(item)) return item
  const { content, id: _, ...rest } = item
  if (!Array.isArray(content)) return content ?? rest
  const texts = content.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? part.text : []))
  return texts.length === content.length ? texts.join('') : content
}
