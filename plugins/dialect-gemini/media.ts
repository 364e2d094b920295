/**
 * `inlineData` and `fileData` → content parts for images, audio and files. Text files become text.
 * Reference: https://ai.google.dev/gemini-api/docs/file-input-methods
 * Errors: `invalid_body` for files that only the format's vendor can read, and for videos.
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { type Reader, refuse, textPart } from '@gateway/contract/dialect'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The content part of a part with media; null for other parts. */
export function mediaPart(part: JsonObject, path: string, reader: Reader): JsonObject | null {
  if (isObject(part.inlineData)) return inlinePart(part.inlineData, `${path}/inlineData`, reader)
  return isObject(part.fileData) ? filePart(part.fileData, `${path}/fileData`, reader) : null
}

function inlinePart(media: JsonObject, path: string, reader: Reader): JsonObject {
  const type = textOf(media.mimeType) || 'application/octet-stream'
  const data = textOf(media.data)
  const url = `data:${type};base64,${data}`
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  if (type.startsWith('audio/'))
    return { type: 'input_audio', input_audio: { data, format: audioFormat(type) } }
  if (type.startsWith('text/')) return textPart(Buffer.from(data, 'base64').toString('utf8'))
  if (type.startsWith('video/')) throw refuse(reader, `${path}/mimeType`, 'videos cannot be translated')
  const name = textOf(media.displayName) || (type === 'application/pdf' ? 'document.pdf' : 'document')
  return { type: 'file', file: { filename: name, file_data: url } }
}

const audioFormat = (type: string): string => {
  const format = type.slice('audio/'.length).replace(/^x-/, '').replace(/;.*$/, '')
  return format === 'mpeg' ? 'mp3' : format
}

const imageName = /\.(?:png|jpe?g|webp|gif|heic|heif)(?:[?#]|$)/i

function filePart({ fileUri, mimeType }: JsonObject, path: string, reader: Reader): JsonObject {
  const url = textOf(fileUri)
  const type = textOf(mimeType)
  const isPublic = /^https?:\/\//i.test(url) && !/^https:\/\/generativelanguage\./i.test(url)
  if (!isPublic)
    throw refuse(reader, `${path}/fileUri`, 'only files with a public http or https URL can be translated')
  if (type.startsWith('image/') || (type === '' && imageName.test(url)))
    return { type: 'image_url', image_url: { url } }
  if (type.startsWith('video/') || type.startsWith('audio/') || /^https:\/\/(?:www\.)?youtu/i.test(url))
    throw refuse(reader, `${path}/mimeType`, 'videos and audio cannot be given by URL')
  return { type: 'file', file: { file_url: url } }
}
