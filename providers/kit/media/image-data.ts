/**
 * Images of an answer in the form that the caller asked for. A URL stays one. Bytes are `b64_json` when
 * `response_format` says so; else they stand in `url` as a `data:` URL, since `url` is the format's default and
 * there is no address to name.
 */
import type { JsonObject } from '@gateway/contract'
import { parseDataUrl } from './data-url.ts'

/** What the first bytes of a file are in base64. */
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

/** The media type of an image in base64, by its first bytes; PNG when they are not known. */
export function imageType(base64: string): string {
  const known = signatures.find(([start]) => base64.startsWith(start))
  return known === undefined ? 'image/png' : known[1]
}
