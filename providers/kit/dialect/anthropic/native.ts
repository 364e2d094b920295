/**
 * The Messages format as sent by the caller: `/v1/messages` and its token count, forwarded to providers with this
 * API. Bodies, answers and events are unchanged, with two exceptions: content from a provider of chat completions, which
 * the vendor refuses, is removed from the conversation, and cache marks are added if the config asks for them. Only
 * errors are parsed.
 * Reference: https://platform.claude.com/docs/en/api/messages,
 * https://platform.claude.com/docs/en/api/messages-count-tokens
 * Errors: `UpstreamFault` for an `error` event; `upstream_invalid_response` for an event that is not JSON.
 */
import {
  carriedMark,
  carriedSearch,
  type Dialect,
  isObject,
  type Json,
  type JsonObject,
  type StreamTranslator,
} from '@gateway/contract'
import { acceptedId, wordCharacters } from '../../chat/tool-call-ids.ts'
import { objectsOf, textOf } from '../../chat/values.ts'
import { parseEvent } from '../../parse-event.ts'
import { withCacheMarks } from './cache-marks.ts'
import { anthropicError, faultOf } from './errors.ts'

/** Request headers that select the API version and its beta features. */
export const messagesHeaders: readonly string[] = ['anthropic-beta', 'anthropic-version']

/**
 * The dialect for both directions. A provider with another stream framing adds `framing` and {@link messagesStream}.
 */
export const messagesDialect: Dialect = {
  name: 'anthropic-messages-native',
  request: (body, context) => withCacheMarks(ownMessages(body), context),
  answer: (body) => body,
  stream: 'same',
  error: anthropicError,
}

/** The number of input tokens of a message: `{input_tokens}`. */
export const countTokensDialect: Dialect = {
  name: 'anthropic-count-tokens',
  request: ownMessages,
  answer: (body) => body,
  error: anthropicError,
}

/** Forwards the events of a stream unchanged, up to `message_stop`; for streams that are not server-sent events. */
export function messagesStream(): StreamTranslator {
  return {
    event({ data }) {
      const event = parseEvent(data)
      if (event.type === 'error') throw faultOf(event)
      return { chunks: [event], done: event.type === 'message_stop' }
    },
    end: () => ({ chunks: [], done: false }),
  }
}

/**
 * Removes content that the vendor refuses because it comes from conversations with other providers: unsigned thinking,
 * reasoning that the gateway carries for another provider, searches of other providers and citations of their sources,
 * `extra_content`, and ids of tool calls. Returns the same object if it has no such content.
 */
export function ownMessages(body: JsonObject): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(hasForeign)) return body
  return { ...body, messages: messages.map(ownMessage) }
}

/** Thinking of another provider, and searches with sources of another provider. */
function isForeign(block: Json): boolean {
  if (!isObject(block)) return false
  if (block.type === 'server_tool_use') return textOf(block.id).startsWith(carriedSearch)
  if (block.type === 'web_search_tool_result') return textOf(block.tool_use_id).startsWith(carriedSearch)
  if (block.type === 'redacted_thinking') return textOf(block.data).startsWith(carriedMark)
  return block.type === 'thinking' && (block.signature === '' || block.signature === undefined)
}

/** The member of a block with the id of a tool call; null for other blocks. */
function idMember({ type }: JsonObject): 'id' | 'tool_use_id' | null {
  if (type === 'tool_use') return 'id'
  return type === 'tool_result' ? 'tool_use_id' : null
}

function isToChange(block: Json): boolean {
  if (!isObject(block)) return false
  if (block.extra_content !== undefined || objectsOf(block.citations).some(isForeignCitation)) return true
  const member = idMember(block)
  return member !== null && !wordCharacters.accepted.test(textOf(block[member]))
}

const isForeignCitation = ({ encrypted_index: index }: JsonObject): boolean =>
  textOf(index).startsWith(carriedMark)

const hasForeign = (message: Json): boolean =>
  isObject(message) &&
  Array.isArray(message.content) &&
  message.content.some((block) => isForeign(block) || isToChange(block))

function ownMessage(message: Json): Json {
  if (!hasForeign(message) || !isObject(message) || !Array.isArray(message.content)) return message
  const content = message.content.filter((block) => !isForeign(block)).map(ownBlock)
  return { ...message, content }
}

function ownBlock(block: Json): Json {
  if (!isToChange(block) || !isObject(block)) return block
  const { extra_content: _, ...own } = block
  const cited = objectsOf(own.citations)
  if (cited.some(isForeignCitation)) {
    const { citations: __, ...uncited } = own
    const kept = cited.filter((citation) => !isForeignCitation(citation))
    return kept.length === 0 ? uncited : { ...uncited, citations: kept }
  }
  const member = idMember(own)
  return member === null ? own : { ...own, [member]: acceptedId(textOf(own[member]), wordCharacters) }
}
