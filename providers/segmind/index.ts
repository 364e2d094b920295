/**
 * Segmind: one endpoint per model, answered with the bytes of the image (or with base64 in JSON, for `base64: true`).
 * Every model has its own parameters, which are forwarded unchanged.
 * Reference: https://docs.segmind.com/docs/serverless-api
 */
import type { ProviderAdapter } from '@gateway/contract'
import { header, pathSegment } from '@gateway/provider-kit'
import { segmindImage } from './image.ts'

const adapter: ProviderAdapter = {
  name: 'segmind',
  title: 'Segmind',
  docs: 'https://docs.segmind.com/docs/serverless-api',
  baseUrl: 'https://api.segmind.com/v1',
  credential: 'required',
  auth: header({ name: 'x-api-key' }),
  endpoints: {
    imageGenerate: {
      kind: 'http',
      method: 'POST',
      path: ({ model }, { provider }) => `/${pathSegment(model, '/model', provider)}`,
      headers: () => ({ accept: 'image/*, application/json' }),
      dialect: segmindImage,
    },
  },
  notes: {
    remarks: [
      '`size` becomes `img_width` and `img_height` for the Stable Diffusion family, `width` and `height` for others; a model’s own parameters (`aspect_ratio`, `steps`, `samples`, …) are forwarded and win.',
      'One image per call: `n` above 1 is refused.',
      'Images arrive as bytes: they are returned as `b64_json` if `response_format` requests it, otherwise as a `data:` URL.',
    ],
    drops: { imageGenerate: ['quality', 'style (vivid, natural)', 'response_format', 'user'] },
  },
}

export default adapter
