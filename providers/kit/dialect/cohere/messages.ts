/**
 * Messages. System and developer messages keep their position. An assistant's text next to tool calls is the vendor's
 * `tool_plan`, in both directions. `name` on a message has no counterpart and is dropped.
 * Reference: https://docs.cohere.com/reference/chat, https://docs.cohere.com/docs/tool-use-overview
 * Errors: `invalid_body` for files, audio and images that are neither http(s) nor base64 data URLs.
 */
import { isObject, type JsonObject } from '@gateway/contract'
import {
  contentParts,
  imageUrl,
  partText,
  plainText,
  saidContent,
  textParts,
  unsupportedPart,
} from '../../chat/content.ts'
import { refusal } from '../../chat/refusal.ts'
import { readToolCalls } from '../../chat/tools.ts'
import { objectOf, objectsOf, textOf } from '../../chat/values.ts'
import { parseDataUrl } from '../../media/data-url.ts'
import type { AssistantMessage, ChatMessage, Reader, TextPart, ToolMessage, UserPart } from './types.ts'

/** The conversation of a request without deprecated members. */
export function readMessages(body: JsonObject, reader: Reader): ChatMessage[] {
  const given = Array.isArray(body.messages) ? body.messages : []
  return given.flatMap((message, index) =>
    isObject(message) ? [readMessage(message, `/messages/${index}`, reader)] : [],
  )
}

function readMessage(message: JsonObject, path: string, reader: Reader): ChatMessage {
  const at = `${path}/content`
  if (message.role === 'system' || message.role === 'developer') {
    return { role: 'system', content: readInstruction(message, at, reader) }
  }
  if (message.role === 'assistant') return readAssistant(message, path, reader)
  if (message.role === 'tool') return readResult(message, at, reader)
  const { content } = message
  return { role: 'user', content: typeof content === 'string' ? content : readUserParts(message, at, reader) }
}

function readInstruction(message: JsonObject, path: string, reader: Reader): string | TextPart[] {
  const { content } = message
  if (typeof content === 'string') return content
  return textParts(content, path, reader.provider).map((text) => ({ type: 'text', text }))
}

function readUserParts(message: JsonObject, path: string, reader: Reader): UserPart[] {
  return contentParts(message.content, path).map(({ part, path: at }) => {
    const text = partText(part)
    if (text !== null) return { type: 'text', text }
    if (part.type !== 'image_url') throw unsupportedPart(part, at, reader.provider)
    return readImage(part, `${at}/image_url/url`, reader)
  })
}

function readImage(part: JsonObject, path: string, reader: Reader): UserPart {
  const url = imageUrl(part)
  if (!/^https?:\/\//i.test(url) && parseDataUrl(url)?.mediaType.startsWith('image/') !== true) {
    throw refusal(reader.provider, path, 'must be an http(s) URL, or a base64 data URL of an image')
  }
  const { detail } = objectOf(part.image_url)
  const isKnown = detail === 'auto' || detail === 'low' || detail === 'high'
  return { type: 'image_url', image_url: { url, ...(isKnown ? { detail } : {}) } }
}

function readAssistant(message: JsonObject, path: string, reader: Reader): AssistantMessage {
  const calls = readToolCalls(message, path, reader.provider)
  const said = plainText(saidContent(message), `${path}/content`, reader.provider)
  const blocks = objectsOf(message.content_blocks)
  const thinking = reader.strict ? [] : blocks.filter((block) => block.type === 'thinking')
  const text = said === '' ? blocks.map((block) => partText(block) ?? '').join('') : said
  const spoken: AssistantMessage['content'] =
    thinking.length === 0
      ? text
      : [
          ...thinking.map((block) => ({ type: 'thinking' as const, thinking: textOf(block.thinking) })),
          ...(text === '' || calls.length > 0 ? [] : [{ type: 'text' as const, text }]),
        ]
  if (calls.length === 0) return { role: 'assistant', content: spoken }
  return {
    role: 'assistant',
    ...(text === '' ? {} : { tool_plan: text }),
    ...(thinking.length === 0 ? {} : { content: spoken }),
    tool_calls: calls.map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })),
  }
}

/** Text is sent as a string; documents, which the model can cite, are the vendor's own kind of part. */
function readResult(message: JsonObject, path: string, reader: Reader): ToolMessage {
  const { content } = message
  const head = { role: 'tool', tool_call_id: textOf(message.tool_call_id) } as const
  if (typeof content === 'string') return { ...head, content }
  const parts = contentParts(content, path).map(({ part, path: at }) => {
    const text = partText(part)
    if (text !== null) return { type: 'text' as const, text }
    if (part.type !== 'document' || !isObject(part.document)) throw unsupportedPart(part, at, reader.provider)
    const { id, data } = part.document
    const document = { data: objectOf(data), ...(typeof id === 'string' ? { id } : {}) }
    return { type: 'document' as const, document }
  })
  return { ...head, content: parts }
}
