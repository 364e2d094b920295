/**
 * Messages: text in `content`, images next to it as base64, arguments of calls as objects, results with the name of
 * their function. `name` on a message has no counterpart and is dropped.
 * Reference: https://docs.ollama.com/api/chat, https://docs.ollama.com/capabilities/tool-calling
 * Errors: `invalid_body` for files, audio and images that are not base64 data URLs (`inlineMedia` converts URLs).
 */
import { isObject, type JsonObject } from '@gateway/contract'
import {
  contentParts,
  imageUrl,
  partText,
  plainText,
  saidContent,
  unsupportedPart,
} from '../../chat/content.ts'
import { refusal } from '../../chat/refusal.ts'
import { readArguments, readToolCalls } from '../../chat/tools.ts'
import { objectsOf, textOf } from '../../chat/values.ts'
import { parseDataUrl } from '../../media/data-url.ts'
import type { Message, Reader } from './types.ts'

/** The conversation of a request without deprecated members. */
export function readMessages(body: JsonObject, reader: Reader): Message[] {
  const given = Array.isArray(body.messages) ? body.messages : []
  /** Names of the functions called so far, by the id of the call. */
  const called = new Map<string, string>()
  return given.flatMap((message, index) =>
    isObject(message) ? [readMessage(message, `/messages/${index}`, { reader, called })] : [],
  )
}

function readMessage(
  message: JsonObject,
  path: string,
  { reader, called }: { reader: Reader; called: Map<string, string> },
): Message {
  const at = `${path}/content`
  const text = () => plainText(message.content, at, reader.provider)
  if (message.role === 'system' || message.role === 'developer') return { role: 'system', content: text() }
  if (message.role === 'assistant')
    return { ...readAssistant(message, path, { reader, called }), role: 'assistant' }
  if (message.role !== 'tool') return readUser(message, at, reader)
  const id = textOf(message.tool_call_id)
  const name = called.get(id)
  return {
    role: 'tool',
    content: text(),
    ...(name === undefined ? {} : { tool_name: name }),
    tool_call_id: id,
  }
}

function readUser(message: JsonObject, path: string, reader: Reader): Message {
  const texts: string[] = []
  const images: string[] = []
  for (const { part, path: at } of contentParts(message.content, path)) {
    const text = partText(part)
    if (text !== null) texts.push(text)
    else if (part.type === 'image_url') images.push(readImage(part, `${at}/image_url/url`, reader))
    else throw unsupportedPart(part, at, reader.provider)
  }
  return { role: 'user', content: texts.join('\n'), ...(images.length === 0 ? {} : { images }) }
}

function readImage(part: JsonObject, path: string, reader: Reader): string {
  const data = parseDataUrl(imageUrl(part))
  if (data === null || !data.mediaType.startsWith('image/')) {
    throw refusal(reader.provider, path, 'must be a base64 data URL of an image')
  }
  return data.base64
}

function readAssistant(
  message: JsonObject,
  path: string,
  { reader, called }: { reader: Reader; called: Map<string, string> },
): Omit<Message, 'role'> {
  const blocks = objectsOf(message.content_blocks)
  const said = plainText(saidContent(message), `${path}/content`, reader.provider)
  const thinking = reader.strict ? '' : blocks.map((block) => textOf(block.thinking)).join('')
  const calls = readToolCalls(message, path, reader.provider).map((call, index) => {
    called.set(call.id, call.name)
    const at = `${path}/tool_calls/${index}/function/arguments`
    return { id: call.id, function: { name: call.name, arguments: readArguments(call, at, reader.provider) } }
  })
  return {
    content: said === '' ? blocks.map((block) => partText(block) ?? '').join('') : said,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}
