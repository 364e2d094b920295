/**
 * Images of an answer in the requested format. A URL is kept. Bytes become `b64_json` when `response_format` requests
 * it; otherwise they are a `data:` URL in `url`, the format's default.
 */
import type { JsonObject } from '@gateway/contract'
import { parseDataUrl } from './data-url.ts'

/** The base64 of the first bytes of a file type. */
const signatures: readonly [start: string, mediaType: string][] = [
  ['iVBORw', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
  ['PHN2Zy', 'image/svg+xml'],
  ['PD94bW', 'image/svg+xml'],
]

/**
 * One item of `data`.
 * @param image an http(s) URL, a `data:` URL, or base64
 */
export function imageData(image: string, request: JsonObject): JsonObject {
  if (/^https?:\/\//i.test(image)) return { url: image }
  const { mediaType, base64 } = parseDataUrl(image) ?? { mediaType: imageType(image), base64: image }
  return request.response_format === 'b64_json'
    ? { b64_json: base64 }
    : { url: `data:${mediaType};base64,${base64}` }
}

/** The media type of an image in base64, by its first bytes; PNG when they are unknown. */
export function imageType(base64: string): string {
  const known = signatures.find(([start]) => base64.startsWith(start))
  return known === undefined ? 'image/png' : known[1]
}
