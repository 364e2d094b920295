/**
 * Stability AI: Stable Image Core and Ultra and Stable Diffusion 3.x (v2beta, forms), and the engines of v1 (JSON),
 * selected by the model. The end user is sent as `stability-client-user-id`.
 * Reference: https://platform.stability.ai/docs/api-reference
 */
import type { ChoiceEndpoint, JsonObject, ProviderAdapter, ProviderSettings } from '@gateway/contract'
import { bearer, pathSegment } from '@gateway/provider-kit'
import { engineImage } from './engine.ts'
import { stableImage } from './stable-image.ts'

const models = ['stable-image-core', 'stable-image-ultra', 'sd3.5-large', 'sd3.5-large-turbo', 'sd3.5-medium']

const imageGenerate: ChoiceEndpoint = {
  kind: 'choice',
  choose(body, settings) {
    const model = nameOf(body)
    const service = serviceOf(model)
    const rest =
      service === null
        ? `/generation/${pathSegment(model, '/model', settings.provider)}/text-to-image`
        : `/stable-image/generate/${service}`
    const version = service === null ? '/v1' : '/v2beta'
    return {
      kind: 'http',
      method: 'POST',
      path: `${hasVersion(settings, version) ? '' : version}${rest}`,
      headers: clientHeaders,
      dialect: service === null ? engineImage : stableImage,
    }
  },
}

const nameOf = ({ model }: JsonObject): string => (typeof model === 'string' ? model : 'stable-image-core')

/** The v2beta service of a model; null for an engine of v1. */
function serviceOf(model: string): 'core' | 'ultra' | 'sd3' | null {
  if (/^(stable-image-)?core\b/.test(model)) return 'core'
  if (/^(stable-image-)?ultra\b/.test(model)) return 'ultra'
  return /^sd3/.test(model) ? 'sd3' : null
}

/** A host that ends with the version segment is used unchanged. */
function hasVersion({ custom_host: host = '' }: ProviderSettings, version: string): boolean {
  return new RegExp(`${version}/*$`).test(host)
}

function clientHeaders({ user }: JsonObject): Record<string, string> {
  // A header allows no line breaks and no characters beyond Latin-1.
  const id = typeof user === 'string' ? user.replace(/[^\x20-\x7e]/g, '').slice(0, 256) : ''
  return id === '' ? {} : { 'stability-client-user-id': id }
}

const adapter: ProviderAdapter = {
  name: 'stability-ai',
  title: 'Stability AI',
  docs: 'https://platform.stability.ai/docs/api-reference',
  baseUrl: 'https://api.stability.ai',
  credential: 'required',
  auth: bearer(),
  endpoints: { imageGenerate },
  models: models.map((id) => ({ id, owned_by: 'stability-ai' })),
  notes: {
    remarks: [
      'The model selects the service: `stable-image-core`, `stable-image-ultra`, `sd3…`; any other name is an engine of v1 (`stable-diffusion-xl-1024-v1-0`).',
      '`size` becomes the nearest `aspect_ratio` that Stable Image supports, and `width` and `height` for an engine; a caller’s own `aspect_ratio` wins.',
      'Stable Image generates one image per call: `n` above 1 is refused; an engine generates up to 10.',
      'An image blurred by the content filter has `finish_reason: content_filter`.',
      'Images arrive as bytes: they are returned as `b64_json` if `response_format` requests it, otherwise as a `data:` URL.',
      'Further parameters: `negative_prompt`, `seed`, `style_preset`, `output_format`, `cfg_scale`; for an engine also `steps`, `sampler`, `clip_guidance_preset`.',
    ],
    drops: { imageGenerate: ['quality', 'style', 'response_format'] },
  },
}

export default adapter
