/**
 * The Messages format as sent by the caller: `/v1/messages` and its token count, forwarded to providers with this
 * API. Bodies, answers and events are unchanged, except that content from a provider of chat completions, which the
 * vendor refuses, is removed from the conversation; only errors are parsed.
 * Reference: https://platform.claude.com/docs/en/api/messages,
 * https://platform.claude.com/docs/en/api/messages-count-tokens
 * Errors: `UpstreamFault` for an `error` event; `upstream_invalid_response` for an event that is not JSON.
 */
import { type Dialect, isObject, type Json, type JsonObject, type StreamTranslator } from '@gateway/contract'
import { parseEvent } from '../../parse-event.ts'
import { anthropicError, faultOf } from './errors.ts'

/** Request headers that select the API version and its beta features. */
export const messagesHeaders: readonly string[] = ['anthropic-beta', 'anthropic-version']

/**
 * The dialect for both directions. A provider with another stream framing adds `framing` and {@link messagesStream}.
 */
export const messagesDialect: Dialect = {
  name: 'anthropic-messages-native',
  request: ownMessages,
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
 * Removes unsigned thinking and extras of tool calls, which come from conversations started at a chat completions
 * provider. Returns the same object when there are none.
 */
export function ownMessages(body: JsonObject): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(hasForeign)) return body
  return { ...body, messages: messages.map(ownMessage) }
}

const isUnsigned = (block: Json): boolean =>
  isObject(block) && block.type === 'thinking' && (block.signature === '' || block.signature === undefined)

const hasExtras = (block: Json): boolean =>
  isObject(block) && block.type === 'tool_use' && block.extra_content !== undefined

const hasForeign = (message: Json): boolean =>
  isObject(message) &&
  Array.isArray(message.content) &&
  message.content.some((block) => isUnsigned(block) || hasExtras(block))

function ownMessage(message: Json): Json {
  if (!hasForeign(message) || !isObject(message) || !Array.isArray(message.content)) return message
  const content = message.content.filter((block) => !isUnsigned(block)).map(withoutExtras)
  return { ...message, content }
}

function withoutExtras(block: Json): Json {
  if (!hasExtras(block) || !isObject(block)) return block
  const { extra_content: _, ...own } = block
  return own
}
