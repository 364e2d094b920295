/**
 * Fireworks: images with a model's text-to-image workflow, one per call, as bytes.
 * Reference: https://docs.fireworks.ai/api-reference/generate-a-new-image-from-a-text-prompt
 * Errors: `invalid_body` for more than one image and an invalid model name; `upstream_invalid_response` for an answer
 * without an image.
 */
import { GatewayError, type HttpEndpoint, type JsonObject } from '@gateway/contract'
import {
  compatibleDialect,
  compatibleError,
  decodeImage,
  imageData,
  pathSegments,
} from '@gateway/provider-kit'

const ratios = ['1:1', '21:9', '16:9', '3:2', '5:4', '4:5', '2:3', '9:16', '9:21', '4:3', '3:4'] as const

const plain = compatibleDialect('imageGenerate', {
  only: { n: 1 },
  drops: ['model', 'quality', 'style', 'user', 'response_format'],
  size: { ratio: 'aspect_ratio', ratios },
})

export const fireworksImage: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: ({ model }, { provider }) => `/workflows/${workflowOf(model, provider)}/text_to_image`,
  headers: () => ({ accept: 'image/png' }),
  dialect: {
    name: 'fireworks-image',
    request: plain.request,
    decode: decodeImage,
    answer(body, context) {
      // Bytes, or a list of data URLs in JSON.
      const images = Array.isArray(body.images) ? body.images : body.base64
      const texts = Array.isArray(images) ? images.filter((image) => typeof image === 'string') : []
      if (texts.length === 0) {
        throw new GatewayError('upstream_invalid_response', 'The provider answered without an image.')
      }
      return {
        created: Math.floor(context.now() / 1000),
        data: texts.map((image) => imageData(image, context.request)),
      }
    },
    error: compatibleError,
  },
}

/** A model's full name is a path; a short name refers to one of the vendor's own models. */
function workflowOf(model: JsonObject['model'], provider: string): string {
  const name = typeof model === 'string' ? model : ''
  return pathSegments(
    name.startsWith('accounts/') ? name : `accounts/fireworks/models/${name}`,
    '/model',
    provider,
  )
}
