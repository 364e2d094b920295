/**
 * Converts content parts to content blocks: text, images (URL or base64), documents (PDF by URL or base64, text, or
 * an uploaded file). `cache_control` on a part is kept. Blank texts are dropped, since the API refuses them.
 * Reference: https://platform.claude.com/docs/en/api/messages, build-with-claude/vision and …/pdf-support
 * Errors: `invalid_body` for audio and other unsupported parts.
 */
import type {
  Base64ImageSource,
  CacheControlEphemeral,
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
} from '@anthropic-ai/sdk/resources/messages'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { contentParts, imageUrl, partText, unsupportedPart } from '../../chat/content.ts'
import { refusal } from '../../chat/refusal.ts'
import { objectOf } from '../../chat/values.ts'
import { type DataUrl, parseDataUrl } from '../../media/data-url.ts'
import type { Reader } from './types.ts'

export type InputBlock = TextBlockParam | ImageBlockParam | DocumentBlockParam

const imageTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
] as const satisfies readonly Base64ImageSource['media_type'][]

const remote = /^https?:\/\//i

/** The blocks of a user or tool message's content. */
export function inputBlocks(content: Json | undefined, path: string, reader: Reader): InputBlock[] {
  return contentParts(content, path).flatMap(({ part, path: at }) => inputBlock(part, at, reader))
}

/** The blocks of a content that must be text, such as a system message's. */
export function textBlocks(content: Json | undefined, path: string, reader: Reader): TextBlockParam[] {
  return contentParts(content, path).flatMap(({ part, path: at }) => {
    const text = partText(part)
    if (text === null) throw refusal(reader.provider, `${at}/type`, 'only text is supported here')
    return textBlock(text, part)
  })
}

function inputBlock(part: JsonObject, path: string, reader: Reader): InputBlock[] {
  const text = partText(part)
  if (text !== null) return textBlock(text, part)
  if (part.type === 'image_url') return [imageBlock(part, path, reader)]
  if (part.type === 'file') return [documentBlock(part, path, reader)]
  throw unsupportedPart(part, path, reader.provider)
}

/** Text with its cache marker; no block for blank text. */
export function textBlock(text: string, part: JsonObject): TextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...cacheControl(part) }]
}

function imageBlock(part: JsonObject, path: string, reader: Reader): ImageBlockParam | DocumentBlockParam {
  const at = `${path}/image_url/url`
  const url = imageUrl(part)
  if (remote.test(url)) return { type: 'image', source: { type: 'url', url }, ...cacheControl(part) }
  const data = parseDataUrl(url)
  if (data === null) throw refusal(reader.provider, at, 'must be an http(s) or a base64 data URL')
  if (data.mediaType === 'application/pdf') return documentOf(data, null, { part, path: at, reader })
  const mediaType = imageTypes.find((type) => type === data.mediaType)
  if (mediaType === undefined) {
    throw refusal(reader.provider, at, `images of type ${data.mediaType} are not supported`)
  }
  const source: Base64ImageSource = { type: 'base64', media_type: mediaType, data: data.base64 }
  return { type: 'image', source, ...cacheControl(part) }
}

/** `file_id` refers to a file uploaded to the vendor; that needs its beta header, forwarded from the caller. */
function documentBlock(part: JsonObject, path: string, reader: Reader): DocumentBlockParam {
  const file = objectOf(part.file)
  const title = typeof file.filename === 'string' ? file.filename : null
  if (typeof file.file_id === 'string') {
    return { type: 'document', source: { type: 'file', file_id: file.file_id }, ...cacheControl(part) }
  }
  const at = `${path}/file/file_data`
  const given = [file.file_data, file.file_url].find((value) => typeof value === 'string')
  if (typeof given !== 'string')
    throw refusal(reader.provider, at, 'a file requires file_data, file_url or file_id')
  if (remote.test(given)) {
    return { type: 'document', source: { type: 'url', url: given }, ...titled(title), ...cacheControl(part) }
  }
  const data = parseDataUrl(given) ?? { mediaType: typeByName(title), base64: given }
  return documentOf(data, title, { part, path: at, reader })
}

const titled = (title: string | null): { title?: string } => (title === null ? {} : { title })

/** Plain base64 contains no type; the file name can. */
function typeByName(filename: string | null): string {
  return filename !== null && /\.(txt|md|csv|json)$/i.test(filename) ? 'text/plain' : 'application/pdf'
}

interface DocumentOptions {
  part: JsonObject
  path: string
  reader: Reader
}

function documentOf(
  data: DataUrl,
  title: string | null,
  { part, path, reader }: DocumentOptions,
): DocumentBlockParam {
  const rest = { ...titled(title), ...cacheControl(part) }
  if (data.mediaType === 'application/pdf') {
    const source = { type: 'base64', media_type: 'application/pdf', data: data.base64 } as const
    return { type: 'document', source, ...rest }
  }
  if (!data.mediaType.startsWith('text/') && data.mediaType !== 'application/json') {
    throw refusal(reader.provider, path, `files of type ${data.mediaType} are not supported`)
  }
  const text = Buffer.from(data.base64, 'base64').toString('utf8')
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...rest }
}

/** The vendor's cache marker, if the caller set one. */
export function cacheControl({ cache_control: marker }: JsonObject): {
  cache_control?: CacheControlEphemeral
} {
  if (!isObject(marker) || marker.type !== 'ephemeral') return {}
  const { ttl } = marker
  return { cache_control: { type: 'ephemeral', ...(ttl === '5m' || ttl === '1h' ? { ttl } : {}) } }
}
