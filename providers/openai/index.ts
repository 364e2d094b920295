/**
 * OpenAI: the compatible format itself. `compat_organization` and `compat_project` travel as
 * `OpenAI-Organization` and `OpenAI-Project`.
 * Reference: https://platform.openai.com/docs/api-reference
 */
import { bearer, compatibleProvider } from '@gateway/provider-kit'

const models = [
  'gpt-5',
  'gpt-5-mini',
  'gpt-5-nano',
  'gpt-4.1',
  'gpt-4.1-mini',
  'gpt-4o',
  'gpt-4o-mini',
  'o3',
  'o4-mini',
  'gpt-3.5-turbo-instruct',
  'text-embedding-3-large',
  'text-embedding-3-small',
  'gpt-image-1',
  'dall-e-3',
]

export default compatibleProvider({
  name: 'openai',
  title: 'OpenAI',
  docs: 'https://platform.openai.com/docs/api-reference',
  baseUrl: 'https://api.openai.com/v1',
  endpoints: ['chatComplete', 'complete', 'embed', 'imageGenerate'],
  auth: bearer({
    headers: (settings) => ({
      'openai-organization': settings.compat_organization,
      'openai-project': settings.compat_project,
    }),
  }),
  models: models.map((id) => ({ id, owned_by: 'openai' })),
})
