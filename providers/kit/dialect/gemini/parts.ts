/**
 * Converts content parts to parts: text, images, audio and files. Empty texts are dropped, since the API refuses
 * them.
 * Reference: https://ai.google.dev/api/caching#Part
 * Errors: `invalid_body` for unsupported parts.
 */
import type { Json, JsonObject } from '@gateway/contract'
import { contentParts, imageUrl, partText, unsupportedPart } from '../../chat/content.ts'
import { refusal } from '../../chat/refusal.ts'
import { objectOf } from '../../chat/values.ts'
import { givenType, mediaPart, typeByName } from './media.ts'
import type { Part, Reader } from './types.ts'

/** The parts of a message's content. */
export function inputParts(content: Json | undefined, path: string, reader: Reader): Part[] {
  return contentParts(content, path).flatMap(({ part, path: at }) => {
    const text = partText(part)
    if (text !== null) return textPart(text)
    if (part.type === 'image_url') return [imagePart(part, at, reader)]
    if (part.type === 'input_audio') return [audioPart(part, at, reader)]
    if (part.type === 'file') return [filePart(part, at, reader)]
    throw unsupportedPart(part, at, reader.provider)
  })
}

/** The parts of a content that must be text, such as a system message's. */
export function textParts(content: Json | undefined, path: string, reader: Reader): Part[] {
  return contentParts(content, path).flatMap(({ part, path: at }) => {
    const text = partText(part)
    if (text === null) throw refusal(reader.provider, `${at}/type`, 'only text is supported here')
    return textPart(text)
  })
}

const textPart = (text: string): Part[] => (text === '' ? [] : [{ text }])

function imagePart(part: JsonObject, path: string, reader: Reader): Part {
  const type = givenType(objectOf(part.image_url))
  return mediaPart({ url: imageUrl(part), type, path: `${path}/image_url/url` }, reader)
}

function audioPart(part: JsonObject, path: string, reader: Reader): Part {
  const { data, format } = objectOf(part.input_audio)
  if (typeof data !== 'string') throw refusal(reader.provider, `${path}/input_audio/data`, 'must be base64')
  return { inlineData: { mimeType: `audio/${typeof format === 'string' ? format : 'wav'}`, data } }
}

/** `file_id` is a URI of the vendor's Files API, or a name (`files/…`). */
function filePart(part: JsonObject, path: string, reader: Reader): Part {
  const file = objectOf(part.file)
  const { file_id: id, file_url: url, file_data: data } = file
  const type = givenType(file)
  if (typeof id === 'string')
    return mediaPart({ url: fileUri(id), type, path: `${path}/file/file_id` }, reader)
  if (typeof url === 'string') return mediaPart({ url, type, path: `${path}/file/file_url` }, reader)
  const at = `${path}/file/file_data`
  if (typeof data !== 'string') throw refusal(reader.provider, at, 'a file requires file_data or file_id')
  if (/^(?:data:|https?:\/\/)/i.test(data)) return mediaPart({ url: data, type, path: at }, reader)
  // Plain base64 contains no type; the file name can.
  const named = typeof file.filename === 'string' ? typeByName(file.filename) : null
  return { inlineData: { mimeType: type ?? named ?? 'application/pdf', data } }
}

function fileUri(id: string): string {
  return id.startsWith('files/') ? `https://generativelanguage.googleapis.com/v1beta/${id}` : id
}
