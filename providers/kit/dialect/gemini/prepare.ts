/**
 * Fetches media that the vendor does not fetch itself and puts them into the body as data URLs: http URLs, URLs
 * without a known extension, and all URLs for models that accept none.
 * Errors: those of `inlineMedia`.
 */
import { type CallContext, isObject, type Json, type JsonObject, type ProviderIo } from '@gateway/contract'
import { inlineMedia } from '../../media/inline-media.ts'
import { givenType, isTakenAsUrl } from './media.ts'

type Mapper = (part: JsonObject, message: number, at: number) => Json

/** The `prepare` of an endpoint in this dialect. */
export async function inlineGeminiMedia(
  body: JsonObject,
  context: CallContext,
  io: ProviderIo,
): Promise<JsonObject> {
  const model = typeof body.model === 'string' ? body.model : ''
  let count = 0
  // The parts keep their positions, so errors name the right path.
  const toFetch = mapParts(body, (part) => {
    if (!isToFetch(part, model)) return { type: 'text', text: '' }
    count += 1
    return part
  })
  if (count === 0) return body
  const fetched = await inlineMedia(toFetch, context, io)
  return mapParts(body, (part, message, at) =>
    isToFetch(part, model) ? (partAt(fetched, message, at) ?? part) : part,
  )
}

function isToFetch(part: JsonObject, model: string): boolean {
  const media = part.type === 'image_url' ? part.image_url : part.type === 'file' ? part.file : null
  const holder = isObject(media) ? media : { url: media ?? undefined }
  const url = [holder.url, holder.file_url, holder.file_data].find((value) => typeof value === 'string')
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return false
  return !isTakenAsUrl(url, givenType(holder), model)
}

function mapParts(body: JsonObject, map: Mapper): JsonObject {
  const messages = Array.isArray(body.messages) ? body.messages : []
  return {
    ...body,
    messages: messages.map((message, index) => {
      if (!isObject(message) || !Array.isArray(message.content)) return message
      return {
        ...message,
        content: message.content.map((part, at) => (isObject(part) ? map(part, index, at) : part)),
      }
    }),
  }
}

function partAt(body: JsonObject, index: number, at: number): Json | undefined {
  const message = Array.isArray(body.messages) ? body.messages[index] : undefined
  return isObject(message) && Array.isArray(message.content) ? message.content[at] : undefined
}
