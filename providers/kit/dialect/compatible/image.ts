/**
 * Image generation for compatible providers with different parameters for the image size and another place for the
 * images of an answer. The answer becomes `{created, data: [{url | b64_json, revised_prompt}]}`; an image in bytes
 * becomes `b64_json` if that was requested, otherwise a `data:` URL.
 * Reference: https://platform.openai.com/docs/api-reference/images
 * Errors: `upstream_invalid_response` for an answer without images.
 */
import { type CallContext, GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import { imageData } from '../../media/image-data.ts'
import { nearestRatio, parseSize } from '../../media/image-size.ts'

export interface ImageRules {
  /** The form of the size: width and height in pixels, or the nearest of a list of aspect ratios. */
  size?: { width: string; height: string } | { ratio: string; ratios: readonly string[] }
  /** The member of an answer with the list of images, if it differs from the format's. */
  images?: string
}

/** The body with its size in the provider's parameters; values that the caller sets for those take precedence. */
export function imageRequest(body: JsonObject, { size: names }: ImageRules): JsonObject {
  if (names === undefined || typeof body.size !== 'string') return body
  const { size: _, ...rest } = body
  const size = parseSize(body.size)
  // `auto` and similar values select the provider's default.
  if (size === null) return rest
  if ('ratio' in names) return { [names.ratio]: nearestRatio(size, names.ratios), ...rest }
  return { [names.width]: size.width, [names.height]: size.height, ...rest }
}

/** The unified answer; the same object without a rule. */
export function imageAnswer(body: JsonObject, { images }: ImageRules, context: CallContext): JsonObject {
  if (images === undefined) return body
  const list = body[images]
  if (!Array.isArray(list)) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without images.')
  }
  const { created } = body
  return {
    created: typeof created === 'number' ? created : Math.floor(context.now() / 1000),
    data: list.map((image) => readImage(image, context)),
    ...(isObject(body.usage) ? { usage: body.usage } : {}),
  }
}

/** Images are objects or strings: a URL, a `data:` URL or base64. */
function readImage(image: Json, { request }: CallContext): JsonObject {
  const { url, b64_json, image: bytes, revised_prompt }: JsonObject = isObject(image) ? image : { image }
  const revised = typeof revised_prompt === 'string' ? { revised_prompt } : {}
  const given = [url, b64_json, bytes].find((value) => typeof value === 'string' && value !== '')
  if (typeof given !== 'string') {
    throw new GatewayError('upstream_invalid_response', 'The provider returned an empty image.')
  }
  return { ...imageData(given, request), ...revised }
}
