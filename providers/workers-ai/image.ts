/**
 * Images: a prompt as JSON, or as a form for the second FLUX family; the answer is `{image: base64}` or the image's
 * bytes. References: https://developers.cloudflare.com/workers-ai/models/flux-1-schnell/,
 * https://developers.cloudflare.com/workers-ai/models/flux-2-dev/,
 * https://developers.cloudflare.com/workers-ai/models/stable-diffusion-xl-base-1.0/
 * Errors: `invalid_body` for several images; `upstream_invalid_response` for an answer without an image.
 */
import {
  type CallContext,
  type Dialect,
  type EncodedBody,
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
} from '@gateway/contract'
import {
  decodeImage,
  type FormFields,
  imageData,
  multipart,
  parseSize,
  refusal,
  textOf,
} from '@gateway/provider-kit'
import { resultOf, workersError } from './result.ts'

export const imageDialect: Dialect = {
  name: 'workers-ai-image',
  request: imageRequest,
  encode: encodeImage,
  decode: decodeImage,
  answer: imageAnswer,
  error: workersError,
}

/** Parameters of the format that no model supports, or that only concern the format of the answer. */
const dropped: readonly string[] = [
  'model',
  'n',
  'size',
  'response_format',
  'quality',
  'style',
  'background',
  'moderation',
  'output_format',
  'output_compression',
  'partial_images',
  'stream',
  'user',
]

function imageRequest(body: JsonObject, { settings: { provider } }: CallContext): JsonObject {
  if (typeof body.n === 'number' && body.n !== 1) throw refusal(provider, '/n', 'can only be 1')
  const given = Object.entries(body).filter(([name, value]) => value !== null && !dropped.includes(name))
  return { ...sizeOf(body), ...Object.fromEntries(given) }
}

/** Width and height in pixels; FLUX.1 schnell has a fixed size. */
function sizeOf({ model, size }: JsonObject): JsonObject {
  const lengths = /flux-1-schnell/i.test(textOf(model)) ? null : parseSize(textOf(size))
  return lengths === null ? {} : { width: lengths.width, height: lengths.height }
}

function encodeImage(body: JsonObject, { request }: CallContext): EncodedBody {
  if (/\/flux-2/i.test(textOf(request.model))) return multipart(fieldsOf(body), [])
  return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body)) }
}

const fieldsOf = (body: JsonObject): FormFields =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, fieldText(value)]))

const fieldText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

function imageAnswer(body: JsonObject, { request, now }: CallContext): JsonObject {
  const image = imageOf(body)
  if (image === '')
    throw new GatewayError('upstream_invalid_response', 'The provider answered without an image.')
  return { created: Math.floor(now() / 1000), data: [imageData(image, request)] }
}

/** Bytes arrive decoded as `{images}`; JSON is an envelope. */
function imageOf(body: JsonObject): string {
  if (Array.isArray(body.images)) return textOf(body.images[0])
  const { image } = resultOf(body)
  return textOf(isObject(image) ? image.url : image)
}
