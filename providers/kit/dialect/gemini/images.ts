/**
 * Image generation: `generateContent` of the Gemini image models (one image per call), and `predict` of the Imagen
 * models. Images are returned as base64 for any `response_format`; `size` becomes the nearest aspect ratio, `quality:
 * hd` requests 2K. `style` and `user` are dropped.
 * Reference: https://ai.google.dev/gemini-api/docs/image-generation,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api
 * Errors: `invalid_body` for several images of a Gemini model, `upstream_invalid_response` for an answer without
 * images.
 */
import {
  type CallContext,
  type Dialect,
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
  UpstreamFault,
} from '@gateway/contract'
import { refusal } from '../../chat/refusal.ts'
import { nearestRatio, parseSize } from '../../media/image-size.ts'
import { blockReasonOf, partsOf } from './answer.ts'
import { geminiError } from './errors.ts'

/** Parameters of both families. */
const ratios = ['1:1', '3:4', '4:3', '9:16', '16:9'] as const

/** `POST {model}:generateContent` of an image model. */
export const geminiImageDialect: Dialect = {
  name: 'gemini-image',
  request(body, { settings }) {
    if (typeof body.n === 'number' && body.n > 1)
      throw refusal(settings.provider, '/n', 'this model generates only one image per call')
    const { ratio, size } = shapeOf(body)
    const imageConfig = {
      ...(ratio === null ? {} : { aspectRatio: ratio }),
      ...(size === null ? {} : { imageSize: size }),
    }
    return {
      contents: [{ role: 'user', parts: [{ text: String(body.prompt ?? '') }] }],
      generationConfig: {
        responseModalities: ['IMAGE'],
        ...(Object.keys(imageConfig).length === 0 ? {} : { imageConfig }),
      },
    }
  },
  answer(body, context) {
    const candidates = Array.isArray(body.candidates) ? body.candidates.filter(isObject) : []
    const images = candidates.flatMap(partsOf).flatMap((part) => {
      const media = isObject(part) && part.thought !== true ? part.inlineData : undefined
      return isObject(media) && typeof media.data === 'string' ? [{ b64_json: media.data }] : []
    })
    return imageList(images, blockReasonOf(body) ?? candidates[0]?.finishReason, context)
  },
  error: geminiError,
}

/** `POST {model}:predict` of an Imagen model. */
export const imagenDialect: Dialect = {
  name: 'vertex-imagen',
  request(body) {
    const { ratio, size } = shapeOf(body)
    const parameters = {
      sampleCount: typeof body.n === 'number' ? body.n : 1,
      ...(ratio === null ? {} : { aspectRatio: ratio }),
      ...(size === null ? {} : { sampleImageSize: size }),
    }
    return { instances: [{ prompt: body.prompt }], parameters }
  },
  answer(body, context) {
    const rows = Array.isArray(body.predictions) ? body.predictions.filter(isObject) : []
    const images = rows.flatMap(({ bytesBase64Encoded: data, prompt }) =>
      typeof data === 'string'
        ? [{ b64_json: data, ...(typeof prompt === 'string' ? { revised_prompt: prompt } : {}) }]
        : [],
    )
    return imageList(
      images,
      rows.find((row) => row.raiFilteredReason !== undefined)?.raiFilteredReason,
      context,
    )
  },
  error: geminiError,
}

function shapeOf({ size, quality }: JsonObject): { ratio: string | null; size: string | null } {
  const given = typeof size === 'string' ? parseSize(size) : null
  return {
    ratio: given === null ? null : nearestRatio(given, ratios),
    size: quality === 'hd' || quality === 'high' ? '2K' : null,
  }
}

function imageList(data: JsonObject[], reason: Json | undefined, context: CallContext): JsonObject {
  if (data.length > 0) return { created: Math.floor(context.now() / 1000), data }
  if (typeof reason !== 'string' || reason === 'STOP') {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without images.')
  }
  // A filtered prompt is an error of the caller, as in the compatible format.
  throw new UpstreamFault({
    status: 400,
    message: `The provider generated no image: ${reason}`,
    type: 'image_generation_error',
    param: null,
    code: 'content_policy_violation',
  })
}
