/**
 * The parts of a user's content: text, images, audio, video and documents, all as base64 `data:` URLs; URLs were
 * fetched before (`inlineMedia`). Empty texts are dropped next to other parts.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/ChatContent
 * Errors: `invalid_body` for parts that a format does not support.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import {
  contentParts,
  imageUrl,
  parseDataUrl,
  partText,
  refusal,
  textOf,
  unsupportedPart,
} from '@gateway/provider-kit'
import type { CohereContent, GenericContent } from './wire.ts'

/** The content of a message in the generic format. */
export function genericContent(content: Json | undefined, path: string, provider: string): GenericContent[] {
  return contentParts(content, path).map(({ part, path: at }) => {
    const text = partText(part)
    if (text !== null) return { type: 'TEXT', text }
    const url = dataUrlOf(part, at, provider)
    return mediaContent(parseDataUrl(url)?.mediaType ?? '', url)
  })
}

/** The content of a message in Cohere's newer format, which supports text and images. */
export function cohereContent(content: Json | undefined, path: string, provider: string): CohereContent[] {
  return contentParts(content, path).map(({ part, path: at }) => {
    const text = partText(part)
    if (text !== null) return { type: 'TEXT', text }
    if (part.type !== 'image_url') throw unsupportedPart(part, at, provider)
    const detail = details[isObject(part.image_url) ? textOf(part.image_url.detail) : '']
    const url = dataUrlOf(part, at, provider)
    return { type: 'IMAGE_URL', imageUrl: detail === undefined ? { url } : { url, detail } }
  })
}

const details: Readonly<Record<string, 'AUTO' | 'HIGH' | 'LOW'>> = { auto: 'AUTO', high: 'HIGH', low: 'LOW' }

function mediaContent(mediaType: string, url: string): GenericContent {
  if (mediaType.startsWith('image/')) return { type: 'IMAGE', imageUrl: { url } }
  if (mediaType.startsWith('audio/')) return { type: 'AUDIO', audioUrl: { url } }
  if (mediaType.startsWith('video/')) return { type: 'VIDEO', videoUrl: { url } }
  return { type: 'DOCUMENT', documentUrl: { url } }
}

/** The bytes of a part as a `data:` URL. */
function dataUrlOf(part: JsonObject, path: string, provider: string): string {
  if (part.type === 'image_url') return checked(imageUrl(part), `${path}/image_url/url`, provider)
  if (part.type === 'input_audio' && isObject(part.input_audio)) {
    const { data, format } = part.input_audio
    return checked(
      `data:audio/${textOf(format) || 'wav'};base64,${textOf(data)}`,
      `${path}/input_audio`,
      provider,
    )
  }
  if (part.type !== 'file' || !isObject(part.file)) throw unsupportedPart(part, path, provider)
  const data = textOf(part.file.file_data)
  const url = data.startsWith('data:') || data === '' ? data : `data:application/pdf;base64,${data}`
  return checked(url, `${path}/file/file_data`, provider)
}

function checked(url: string, path: string, provider: string): string {
  const data = parseDataUrl(url)
  if (data !== null && data.base64 !== '') return url
  throw refusal(provider, path, 'must be an http(s) or a base64 data URL')
}
