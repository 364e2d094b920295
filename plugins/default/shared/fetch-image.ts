/** Fetches images for a request, with limits on size, time and type. */
import { type CheckIo, isGatewayError } from '@gateway/contract'

export interface Image {
  /** The media type, such as `image/png`. */
  mediaType: string
  bytes: Buffer
}

/**
 * The reason why an image cannot be embedded. `unavailable`: the host is unreachable, or the image alone is too large.
 */
export type ImageProblem =
  | 'host_not_allowed'
  | 'unavailable'
  | 'timeout'
  | 'too_large'
  | 'not_an_image'
  | `status_${number}`

/** Makes the function that fetches the images of one request, whose total size is limited to `maxBytes`. */
export function createImageFetcher(
  io: CheckIo,
  maxBytes: number,
  timeoutMs: number,
): (url: string) => Promise<Image | ImageProblem> {
  const deadline = io.now() + timeoutMs
  let restBytes = maxBytes
  return async (url) => {
    const restMs = deadline - io.now()
    if (restMs < 1) return 'timeout'
    try {
      const answer = await io.fetch({ method: 'GET', url, timeoutMs: restMs, maxBytes, isForeign: true })
      if (answer.status !== 200) return `status_${answer.status}`
      const mediaType = mediaTypeOf(answer.bytes, answer.headers['content-type'])
      if (mediaType === null) return 'not_an_image'
      if (answer.bytes.length > restBytes) return 'too_large'
      restBytes -= answer.bytes.length
      return { mediaType, bytes: answer.bytes }
    } catch (error) {
      if (io.signal.aborted || !isGatewayError(error)) throw error
      if (error.code === 'host_not_allowed') return 'host_not_allowed'
      return io.now() >= deadline ? 'timeout' : 'unavailable'
    }
  }
}

/** The type from the first bytes, or from the content-type header if they are unknown and it names an image type. */
function mediaTypeOf(bytes: Buffer, contentType: string | undefined): string | null {
  const known = signatures.find(
    ({ offset, text }) => bytes.toString('latin1', offset, offset + text.length) === text,
  )
  if (known !== undefined) return known.mediaType
  const named = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return /^image\/[a-z0-9.+-]+$/.test(named) && bytes.length > 0 ? named : null
}

/** https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
const signatures = [
  { offset: 0, text: '\x89PNG\r\n\x1a\n', mediaType: 'image/png' },
  { offset: 0, text: '\xff\xd8\xff', mediaType: 'image/jpeg' },
  { offset: 0, text: 'GIF8', mediaType: 'image/gif' },
  { offset: 8, text: 'WEBPVP', mediaType: 'image/webp' },
  { offset: 0, text: 'BM', mediaType: 'image/bmp' },
]
