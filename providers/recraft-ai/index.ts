/**
 * Recraft: the compatible image generation with its own styles, which do not include `vivid` and `natural`.
 * Reference: https://www.recraft.ai/docs/api-reference/endpoints
 */
import { compatibleProvider } from '@gateway/provider-kit'

const models = [
  'recraftv3',
  'recraftv3_vector',
  'recraftv2',
  'recraftv2_vector',
  'recraftv4',
  'recraftv4_vector',
]

export default compatibleProvider({
  name: 'recraft-ai',
  title: 'Recraft',
  docs: 'https://www.recraft.ai/docs/api-reference/endpoints',
  baseUrl: 'https://external.api.recraft.ai/v1',
  endpoints: ['imageGenerate'],
  rules: {
    imageGenerate: { drops: ['quality', 'user'], values: { style: { vivid: null, natural: null } } },
  },
  extras: {
    imageGenerate: [
      'substyle',
      'style_id',
      'controls',
      'text_layout',
      'negative_prompt',
      'random_seed',
      'image_format',
      'block_nsfw',
    ],
  },
  models: models.map((id) => ({ id, owned_by: 'recraft' })),
})
