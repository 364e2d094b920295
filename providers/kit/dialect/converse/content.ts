/**
 * Converts content parts to content blocks: text, images, documents, audio and video, as base64 or from S3
 * (`s3://…`). `cache_control` on a part becomes a cache point after its block. Blank texts are dropped, since the API
 * refuses them. Other URLs are fetched before the dialect runs.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 * Errors: `invalid_body` for unsupported parts.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { contentParts, imageUrl, partText, unsupportedPart } from '../../chat/content.ts'
import { refusal } from '../../chat/refusal.ts'
import { objectOf } from '../../chat/values.ts'
import { parseDataUrl } from '../../media/data-url.ts'
import { formatOfExtension, formatOfName, formatOfType, type MediaFormat } from './media-formats.ts'
import type { CachePoint, Reader, TextBlock, WireBlock, WireResultBlock } from './types.ts'

/** Blocks that can appear in a user message, a tool result or the system prompt. */
type MediaBlock = Extract<WireBlock, WireResultBlock> | Extract<WireBlock, { audio: object }>

/** The blocks of a user message. */
export function userBlocks(content: Json | undefined, path: string, reader: Reader): WireBlock[] {
  return eachPart(content, path, (part, at) => withCachePoint(inputBlock(part, at, reader), part))
}

/** The blocks of a content that must be text: an assistant's or the system prompt's. */
export function textBlocks(
  content: Json | undefined,
  path: string,
  reader: Reader,
): (TextBlock | CachePoint)[] {
  return eachPart(content, path, (part, at) => {
    const text = partText(part)
    if (text === null) throw refusal(reader.provider, `${at}/type`, 'only text is supported here')
    return withCachePoint(textBlock(text), part)
  })
}

/** The blocks of a text of an assistant's message. */
export const saidBlocks = (text: string, part: JsonObject): (TextBlock | CachePoint)[] =>
  withCachePoint(textBlock(text), part)

/** The blocks of a tool result, and whether one of its parts has `cache_control`. */
export function resultBlocks(
  content: Json | undefined,
  path: string,
  reader: Reader,
): { blocks: WireResultBlock[]; cachePoint: CachePoint[] } {
  const cachePoint: CachePoint[] = []
  const blocks = eachPart(content, path, (part, at): WireResultBlock[] => {
    cachePoint.push(...cachePointOf(part))
    const text = partText(part)
    // Unlike messages, results may be blank.
    if (text !== null) return text === '' ? [] : [{ text }]
    const block = inputBlock(part, at, reader)
    if (block === null) return []
    if (block.audio !== undefined)
      throw refusal(reader.provider, `${at}/type`, 'a tool result cannot contain audio')
    return [block]
  })
  return { blocks, cachePoint: cachePoint.slice(-1) }
}

function eachPart<Block>(
  content: Json | undefined,
  path: string,
  read: (part: JsonObject, path: string) => Block[],
): Block[] {
  return contentParts(content, path).flatMap(({ part, path: at }) => read(part, at))
}

function inputBlock(part: JsonObject, path: string, reader: Reader): MediaBlock | null {
  const text = partText(part)
  if (text !== null) return textBlock(text)
  if (part.type === 'image_url') return imageBlock(part, `${path}/image_url/url`, reader)
  if (part.type === 'file') return fileBlock(part, path, reader)
  if (part.type === 'input_audio') return audioBlock(part, path, reader)
  throw unsupportedPart(part, path, reader.provider)
}

function textBlock(text: string): TextBlock | null {
  return text.trim() === '' ? null : { text }
}

function withCachePoint<Block>(block: Block | null, part: JsonObject): (Block | CachePoint)[] {
  return block === null ? [] : [block, ...cachePointOf(part)]
}

/** The caller's cache marker in the vendor's form. */
export function cachePointOf({ cache_control: marker }: JsonObject): CachePoint[] {
  if (!isObject(marker) || marker.type !== 'ephemeral') return []
  const { ttl } = marker
  return [{ cachePoint: { type: 'default', ...(ttl === '5m' || ttl === '1h' ? { ttl } : {}) } }]
}

function imageBlock(part: JsonObject, path: string, reader: Reader): MediaBlock {
  return mediaBlock({ url: imageUrl(part), filename: null, path, part: {} }, reader)
}

function fileBlock(part: JsonObject, path: string, reader: Reader): MediaBlock {
  const file = objectOf(part.file)
  const filename = typeof file.filename === 'string' ? file.filename : null
  const url = [file.file_data, file.file_url].find((value) => typeof value === 'string')
  const at = `${path}/file/file_data`
  if (typeof url !== 'string') throw refusal(reader.provider, at, 'a file requires file_data')
  return mediaBlock({ url, filename, path: at, part: file }, reader)
}

function audioBlock(part: JsonObject, path: string, reader: Reader): MediaBlock {
  const { data, format } = objectOf(part.input_audio)
  const found = typeof format === 'string' ? formatOfExtension(format) : null
  if (found?.kind !== 'audio')
    throw refusal(reader.provider, `${path}/input_audio/format`, 'this format is not supported')
  if (typeof data !== 'string')
    throw refusal(reader.provider, `${path}/input_audio/data`, 'audio requires data')
  return { audio: { format: found.format, source: { bytes: data } } }
}

interface Media {
  /** A `data:` URL, an S3 URL, or plain base64. */
  url: string
  filename: string | null
  path: string
  /** The document's own settings. */
  part: JsonObject
}

function mediaBlock(media: Media, reader: Reader): MediaBlock {
  const { url, filename, path, part } = media
  const { found, source } = sourceOf(url, filename)
  if (source === null) throw refusal(reader.provider, path, 'must be a base64 data URL or an S3 URL')
  if (found === null) throw refusal(reader.provider, path, 'this type of file is not supported')
  if (found.kind === 'image') return { image: { format: found.format, source } }
  if (found.kind === 'video') return { video: { format: found.format, source } }
  if (found.kind === 'audio') return { audio: { format: found.format, source } }
  const name = reader.names(filename ?? (url.startsWith('s3:') ? (url.split('/').at(-1) ?? null) : null))
  return { document: { format: found.format, name, source, ...documentSettings(part) } }
}

type Source = { bytes: string } | { s3Location: { uri: string } }

function sourceOf(
  url: string,
  filename: string | null,
): { found: MediaFormat | null; source: Source | null } {
  if (/^s3:\/\//i.test(url))
    return { found: formatOfName(filename ?? url), source: { s3Location: { uri: url } } }
  const data = parseDataUrl(url)
  if (data !== null) return { found: formatOfType(data.mediaType), source: { bytes: data.base64 } }
  if (url === '' || url.includes(':')) return { found: null, source: null }
  // Plain base64 contains no type; the file name can.
  return { found: formatOfName(filename ?? '.pdf'), source: { bytes: url } }
}

/** The vendor's settings for the use of a file. */
function documentSettings({ citations, context }: JsonObject): {
  citations?: { enabled: boolean }
  context?: string
} {
  return {
    ...(isObject(citations) && citations.enabled === true ? { citations: { enabled: true } } : {}),
    ...(typeof context === 'string' && context !== '' ? { context } : {}),
  }
}
