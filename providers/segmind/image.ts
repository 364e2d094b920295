/**
 * An image of Segmind. Errors are `{error: text}`, or for authentication `{error: code, error_description: text}`.
 * Reference: https://docs.segmind.com/docs/serverless-api, https://www.segmind.com/models/sdxl1.0-txt2img/api
 * Errors: `invalid_body` for more than one image; `upstream_invalid_response` for an answer without an image.
 */
import {
  type CallContext,
  type Dialect,
  GatewayError,
  type JsonObject,
  type UpstreamError,
} from '@gateway/contract'
import { decodeImage, imageData, parseSize } from '@gateway/provider-kit'

export const segmindImage: Dialect = {
  name: 'segmind-image',
  request,
  decode: decodeImage,
  answer,
  error,
}

/** Models with the parameters `img_width` and `img_height`. */
const stableDiffusion = /^(sd|ssd|kandinsky|vega|segmind-vega)/

/** Parameters that the endpoint does not support; the model is in the path. */
const dropped = new Set(['model', 'n', 'quality', 'response_format', 'size', 'user'])

function request(body: JsonObject, { settings }: CallContext): JsonObject {
  if (typeof body.n === 'number' && body.n > 1) {
    const message = `/n: must be 1, as one image is generated per call (provider ${settings.provider})`
    throw new GatewayError('invalid_body', message, { param: '/n' })
  }
  const own = Object.entries(body).filter(
    ([field, value]) => value !== null && !dropped.has(field) && !isForeignStyle(field, body),
  )
  return { ...lengths(body), ...Object.fromEntries(own) }
}

/** The styles of the unified format; a model's own styles are forwarded. */
function isForeignStyle(field: string, { style }: JsonObject): boolean {
  return field === 'style' && (style === 'vivid' || style === 'natural')
}

function lengths({ size, model }: JsonObject): JsonObject {
  const read = typeof size === 'string' ? parseSize(size) : null
  if (read === null) return {}
  return typeof model === 'string' && stableDiffusion.test(model)
    ? { img_width: read.width, img_height: read.height }
    : { width: read.width, height: read.height }
}

/** Bytes were decoded to `images`; JSON contains one or several images, as base64 or as URLs. */
function answer(body: JsonObject, context: CallContext): JsonObject {
  const held = [body.images, body.image, body.output, body.url].find((value) => value !== undefined)
  const images = (Array.isArray(held) ? held : [held]).filter((image) => typeof image === 'string')
  if (images.length === 0) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without an image.')
  }
  return {
    created: Math.floor(context.now() / 1000),
    data: images.map((image) => imageData(image, context.request)),
  }
}

function error(status: number, body: JsonObject): UpstreamError | null {
  const { error: told, error_description: description } = body
  if (typeof told !== 'string') return null
  const blank = { status, type: 'upstream_error', param: null }
  return typeof description === 'string'
    ? { ...blank, message: description, code: told }
    : { ...blank, message: told, code: 'upstream_error' }
}
