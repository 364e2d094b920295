/**
 * Content parts → content blocks: text, images (by URL or base64), documents (PDF, text, or an uploaded file).
 * `cache_control` on a part is kept. Empty texts are left out, since the API refuses empty text blocks.
 * Reference: https://platform.claude.com/docs/en/api/messages, build-with-claude/vision and …/pdf-support
 * Errors: `invalid_body` for audio and other parts that have no block.
 */
import type {
  Base64ImageSource,
  CacheControlEphemeral,
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
} from '@anthropic-ai/sdk/resources/messages'
import { isObject, type Json, type JsonObject } from '@gateway/core/contract'
import { type DataUrl, parseDataUrl } from '../../media/data-url.ts'
import { refuse } from './refuse.ts'
import type { Reader } from './types.ts'

export type InputBlock = TextBlockParam | ImageBlockParam | DocumentBlockParam

const imageTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
] as const satisfies readonly Base64ImageSource['media_type'][]

/** The blocks of a user or tool message's content. */
export function inputBlocks(content: Json | undefined, path: string, reader: Reader): InputBlock[] {
  return eachPart(content, path, (part, at) => inputBlock(part, at, reader))
}

/** The blocks of a content that can only be text, such as a system message's. */
export function textBlocks(content: Json | undefined, path: string, reader: Reader): TextBlockParam[] {
  return eachPart(content, path, (part, at) => {
    const text = textOf(part)
    if (text === null) throw refuse(reader, `${at}/type`, 'only text can stand here')
    return textBlock(text, part)
  })
}

function eachPart<Block>(
  content: Json | undefined,
  path: string,
  read: (part: JsonObject, path: string) => Block | null,
): Block[] {
  const parts: Json[] = typeof content === 'string' ? [{ type: 'text', text: content }] : arrayOf(content)
  return parts.flatMap((part, index) => {
    const block = isObject(part) ? read(part, `${path}/${index}`) : null
    return block === null ? [] : [block]
  })
}

function arrayOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

function inputBlock(part: JsonObject, path: string, reader: Reader): InputBlock | null {
  const text = textOf(part)
  if (text !== null) return textBlock(text, part)
  if (part.type === 'image_url') return imageBlock(part, path, reader)
  if (part.type === 'file') return documentBlock(part, path, reader)
  throw refuse(reader, `${path}/type`, `content of type ${String(part.type)} is not supported`)
}

/** The text of a text part, or of a refusal that an assistant gave before. */
function textOf(part: JsonObject): string | null {
  if (part.type === 'refusal' && typeof part.refusal === 'string') return part.refusal
  return part.type === 'text' && typeof part.text === 'string' ? part.text : null
}

function textBlock(text: string, part: JsonObject): TextBlockParam | null {
  return text === '' ? null : { type: 'text', text, ...cacheControl(part) }
}

function imageBlock(part: JsonObject, path: string, reader: Reader): ImageBlockParam | DocumentBlockParam {
  const image = isObject(part.image_url) ? part.image_url : { url: part.image_url }
  const at = `${path}/image_url/url`
  const url = typeof image.url === 'string' ? image.url : ''
  if (/^https?:\/\//i.test(url)) return { type: 'image', source: { type: 'url', url }, ...cacheControl(part) }
  const data = parseDataUrl(url)
  if (data === null) throw refuse(reader, at, 'must be an http(s) or a base64 data URL')
  if (data.mediaType === 'application/pdf') return documentOf(data, null, part, at, reader)
  const mediaType = imageTypes.find((type) => type === data.mediaType)
  if (mediaType === undefined) throw refuse(reader, at, `images of type ${data.mediaType} are not supported`)
  const source: Base64ImageSource = { type: 'base64', media_type: mediaType, data: data.base64 }
  return { type: 'image', source, ...cacheControl(part) }
}

/** `file_id` names a file that was uploaded to the vendor; that needs its beta header, forwarded by the caller. */
function documentBlock(part: JsonObject, path: string, reader: Reader): DocumentBlockParam {
  const file = isObject(part.file) ? part.file : {}
  const title = typeof file.filename === 'string' ? file.filename : null
  if (typeof file.file_id === 'string') {
    return { type: 'document', source: { type: 'file', file_id: file.file_id }, ...cacheControl(part) }
  }
  const at = `${path}/file/file_data`
  if (typeof file.file_data !== 'string') throw refuse(reader, at, 'a file needs file_data or file_id')
  const data = parseDataUrl(file.file_data) ?? { mediaType: typeByName(title), base64: file.file_data }
  return documentOf(data, title, part, at, reader)
}

/** Bare base64 names no type; its file name may. */
function typeByName(filename: string | null): string {
  return filename !== null && /\.(txt|md|csv|json)$/i.test(filename) ? 'text/plain' : 'application/pdf'
}

function documentOf(
  data: DataUrl,
  title: string | null,
  part: JsonObject,
  path: string,
  reader: Reader,
): DocumentBlockParam {
  const rest = { ...(title === null ? {} : { title }), ...cacheControl(part) }
  if (data.mediaType === 'application/pdf') {
    const source = { type: 'base64', media_type: 'application/pdf', data: data.base64 } as const
    return { type: 'document', source, ...rest }
  }
  if (!data.mediaType.startsWith('text/') && data.mediaType !== 'application/json') {
    throw refuse(reader, path, `files of type ${data.mediaType} are not supported`)
  }
  const text = Buffer.from(data.base64, 'base64').toString('utf8')
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...rest }
}

/** The vendor's cache marker, where a caller set one. */
export function cacheControl(part: JsonObject): { cache_control?: CacheControlEphemeral } {
  const marker = part.cache_control
  if (!isObject(marker) || marker.type !== 'ephemeral') return {}
  const { ttl } = marker
  return { cache_control: { type: 'ephemeral', ...(ttl === '5m' || ttl === '1h' ? { ttl } : {}) } }
}
