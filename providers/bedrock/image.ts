/**
 * Images with InvokeModel: Titan Image and Nova Canvas (up to five per call), Stability's Stable Image and Stable
 * Diffusion 3 (one per call). They return bytes: see the kit's imageData for the format that a caller receives.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-image.html,
 * https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-stability-diffusion.html
 * Errors: `unsupported_endpoint` for other models; `invalid_body` for an unsupported size or number of images;
 * `UpstreamFault` when the model filtered every image; those of invoke.ts.
 */
import {
  type ChoiceEndpoint,
  GatewayError,
  type JsonObject,
  type ProcedureAnswer,
  type ProcedureContext,
  UpstreamFault,
} from '@gateway/contract'
import { imageData, nearestRatio, objectOf, parseSize, pick, refusal, textOf } from '@gateway/provider-kit'
import { modelOf } from './address.ts'
import { invokeEach } from './invoke.ts'

interface ImageFamily {
  models: RegExp
  bodies(request: JsonObject, count: number, provider: string): JsonObject[]
  /** The reason why an answer contains no image, or fewer than requested. */
  reason(answer: JsonObject): string
}

const maxPerCall = 5
const ratios = ['1:1', '16:9', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21']

const families: readonly ImageFamily[] = [
  {
    models: /amazon\.(?:titan-image|nova-canvas)/,
    bodies: (request, count, provider) => {
      if (count > maxPerCall) throw refusal(provider, '/n', `this model generates up to ${maxPerCall} images`)
      return [amazonBody(request, count, provider)]
    },
    reason: ({ error }) => textOf(error),
  },
  {
    models: /stability\.(?:sd3|stable-image-(?:core|ultra))/,
    bodies: (request, count, provider) => {
      const body = stabilityBody(request, provider)
      return Array.from({ length: count }, () => body)
    },
    reason: ({ finish_reasons: reasons }) =>
      Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === 'string').join('; ') : '',
  },
]

function amazonBody(request: JsonObject, count: number, provider: string): JsonObject {
  const size = sizeOf(request, provider)
  const quality = request.quality === 'hd' ? 'premium' : request.quality
  const { negative_prompt: negativeText, cfg_scale: cfgScale, seed } = request
  return {
    taskType: 'TEXT_IMAGE',
    textToImageParams: {
      text: request.prompt,
      ...pick({ negativeText }, ['negativeText']),
      ...objectOf(request.textToImageParams),
    },
    imageGenerationConfig: {
      numberOfImages: count,
      ...(size === null ? {} : size),
      ...(quality === 'standard' || quality === 'premium' ? { quality } : {}),
      ...pick({ cfgScale, seed }, ['cfgScale', 'seed']),
      ...objectOf(request.imageGenerationConfig),
    },
  }
}

function stabilityBody(request: JsonObject, provider: string): JsonObject {
  const size = sizeOf(request, provider)
  return {
    prompt: request.prompt,
    ...(size === null ? {} : { aspect_ratio: nearestRatio(size, ratios) }),
    ...pick(request, ['aspect_ratio', 'output_format', 'negative_prompt', 'seed']),
  }
}

function sizeOf({ size }: JsonObject, provider: string): { width: number; height: number } | null {
  if (typeof size !== 'string' || size === 'auto') return null
  const parsed = parseSize(size)
  if (parsed === null) throw refusal(provider, '/size', 'must be a width and a height, such as 1024x1024')
  return parsed
}

/** Images, by the model's family. */
export const imageGenerate: ChoiceEndpoint = {
  kind: 'choice',
  choose(body, _settings, baseModel) {
    const model = baseModel ?? modelOf(body)
    const family = families.find((row) => row.models.test(model))
    if (family === undefined) {
      const message = `bedrock: the model ${model.slice(0, 100)} does not generate images, or is unknown.`
      throw new GatewayError('unsupported_endpoint', message, { param: '/model' })
    }
    return { kind: 'procedure', run: (request, context) => run(family, request, context) }
  },
}

async function run(
  family: ImageFamily,
  request: JsonObject,
  context: ProcedureContext,
): Promise<ProcedureAnswer> {
  const count = typeof request.n === 'number' ? request.n : 1
  const bodies = family.bodies(request, count, context.settings.provider)
  const answers = (await invokeEach(modelOf(request), bodies, context)).map(({ body }) => body)
  const images = answers.flatMap(imagesOf)
  if (images.length === 0) throw withoutImages(answers.map(family.reason).find((reason) => reason !== ''))
  const data = images.map((image) => imageData(image, request))
  const created = Math.floor(context.now() / 1000)
  return { status: 200, headers: {}, body: { created, data }, stream: null }
}

/** Stability returns a filtered image empty or blurred, with a reason. */
function imagesOf({ images, finish_reasons: reasons }: JsonObject): string[] {
  if (!Array.isArray(images)) return []
  const isFiltered = (index: number) => Array.isArray(reasons) && typeof reasons[index] === 'string'
  return images.filter(
    (image, index): image is string => typeof image === 'string' && image !== '' && !isFiltered(index),
  )
}

function withoutImages(reason: string | undefined): Error {
  if (reason === undefined) {
    return new GatewayError('upstream_invalid_response', 'The provider answered without an image.')
  }
  const type = 'content_filter'
  return new UpstreamFault({ status: 400, message: reason, type, param: null, code: type })
}
