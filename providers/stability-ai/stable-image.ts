/**
 * Stable Image (v2beta): a form in, JSON with one image out.
 * Reference: https://platform.stability.ai/docs/api-reference#tag/Generate
 * Errors: `invalid_body` for more than one image; `upstream_invalid_response` for an answer without an image.
 */
import { type CallContext, type Dialect, GatewayError, type JsonObject } from '@gateway/contract'
import { type FormFields, multipart, nearestRatio, parseSize } from '@gateway/provider-kit'
import { artifact, artifactsAnswer, stabilityError } from './artifacts.ts'

const ratios = ['1:1', '16:9', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21'] as const

/** Fields of the service; others are dropped. Only Stable Diffusion 3.x has `model`. */
const fields = [
  'prompt',
  'negative_prompt',
  'aspect_ratio',
  'seed',
  'style_preset',
  'output_format',
  'cfg_scale',
] as const

export const stableImage: Dialect = {
  name: 'stability-stable-image',
  request,
  encode: (body) => multipart(textFields(body), []),
  answer: (body, context) => artifactsAnswer([artifact(body, 'image', 'finish_reason')], context),
  error: stabilityError,
}

function request(body: JsonObject, { settings }: CallContext): JsonObject {
  if (typeof body.n === 'number' && body.n > 1) {
    const message = `/n: must be 1, as one image is generated per call (provider ${settings.provider})`
    throw new GatewayError('invalid_body', message, { param: '/n' })
  }
  const given = Object.fromEntries(fields.map((field) => [field, body[field] ?? undefined]))
  const model = typeof body.model === 'string' && body.model.startsWith('sd3') ? { model: body.model } : {}
  return { ...ratioOf(body), ...dropUndefined(given), ...model }
}

function ratioOf({ size }: JsonObject): JsonObject {
  const read = typeof size === 'string' ? parseSize(size) : null
  return read === null ? {} : { aspect_ratio: nearestRatio(read, ratios) }
}

function dropUndefined(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

function textFields(body: JsonObject): FormFields {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? value : String(value)]),
  )
}
