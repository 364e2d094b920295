/**
 * Converts media to `inlineData` (bytes) or `fileData` (files that the vendor fetches itself: its own files, Cloud
 * Storage, YouTube and, for most models, public https URLs with a known file extension). Other URLs are inlined
 * before this dialect runs.
 * Reference: https://ai.google.dev/gemini-api/docs/file-input-methods
 * Errors: `invalid_body` for values that are neither a URL nor base64.
 */
import type { JsonObject } from '@gateway/contract'
import { refusal } from '../../chat/refusal.ts'
import { parseDataUrl } from '../../media/data-url.ts'
import { fetchesUrls } from './models.ts'
import type { Part, Reader } from './types.ts'

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  xml: 'text/xml',
  json: 'application/json',
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  mov: 'video/mov',
  mpeg: 'video/mpeg',
  webm: 'video/webm',
}

const youtube = /^https:\/\/(?:www\.|m\.)?(?:youtube\.com\/|youtu\.be\/)/i
const vendorFile = /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/i

/** The media type for the extension of a file name or URL. */
export function typeByName(name: string): string | null {
  const extension = /\.([a-z0-9]+)$/i.exec(name.replace(/[?#].*$/, ''))?.[1]?.toLowerCase()
  return extension !== undefined && Object.hasOwn(types, extension) ? (types[extension] ?? null) : null
}

/** The media type that a caller sent with a URL, as some clients do: `mime_type`, or `format`. */
export function givenType(media: JsonObject): string | null {
  const given = [media.mime_type, media.format].find((type) => typeof type === 'string' && type.includes('/'))
  return typeof given === 'string' ? given : null
}

/** Whether the vendor fetches this URL itself. */
export function isTakenAsUrl(url: string, type: string | null, model: string): boolean {
  if (vendorFile.test(url) || youtube.test(url)) return true
  return /^https:\/\//i.test(url) && fetchesUrls(model) && (type ?? typeByName(url)) !== null
}

export interface Media {
  url: string
  /** The media type that the caller sent. */
  type: string | null
  path: string
}

/** The part of a data URL or of a URL that the vendor fetches. */
export function mediaPart({ url, type, path }: Media, reader: Reader): Part {
  const data = parseDataUrl(url)
  if (data !== null) return { inlineData: { mimeType: type ?? data.mediaType, data: data.base64 } }
  if (!/^(?:https?|gs):\/\//i.test(url))
    throw refusal(reader.provider, path, 'must be a URL or a base64 data URL')
  const mimeType = type ?? (youtube.test(url) ? 'video/mp4' : typeByName(url))
  return { fileData: { fileUri: url, ...(mimeType === null ? {} : { mimeType }) } }
}
