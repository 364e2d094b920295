/**
 * OpenAI: the compatible format itself. `compat_organization` and `compat_project` are sent as `OpenAI-Organization`
 * and `OpenAI-Project`.
 * Reference: https://platform.openai.com/docs/api-reference
 */
import {
  audioEndpoints,
  batchesEndpoints,
  bearer,
  compatibleProvider,
  filesEndpoints,
  fineTuningEndpoints,
  fortyCharacters,
  imageEditEndpoint,
  modelsEndpoint,
  moderationEndpoint,
  newerParameters,
  responsesEndpoints,
} from '@gateway/provider-kit'

const models = [
  'gpt-5.6-sol',
  'gpt-5.6-terra',
  'gpt-5.6-luna',
  'gpt-5.4',
  'gpt-5.4-mini',
  'gpt-5.4-nano',
  'gpt-4.1',
  'gpt-4.1-mini',
  'o3',
  'o4-mini',
  'gpt-3.5-turbo-instruct',
  'text-embedding-3-large',
  'text-embedding-3-small',
  'gpt-image-2',
  'dall-e-3',
]

export default compatibleProvider({
  name: 'openai',
  title: 'OpenAI',
  docs: 'https://platform.openai.com/docs/api-reference',
  baseUrl: 'https://api.openai.com/v1',
  endpoints: ['chatComplete', 'complete', 'embed', 'imageGenerate'],
  // Reasoning models refuse max_tokens, which some clients send to every model.
  rules: { chatComplete: { toolCallIds: [fortyCharacters], countsReasoning: /^(ft:)?(gpt-5|o\d)/ } },
  extras: { chatComplete: newerParameters },
  own: {
    ...responsesEndpoints(),
    ...audioEndpoints,
    ...filesEndpoints(),
    ...batchesEndpoints(),
    ...fineTuningEndpoints(),
    moderate: moderationEndpoint,
    imageEdit: imageEditEndpoint,
    listModels: modelsEndpoint,
  },
  realtime: {
    url: (baseUrl, model) =>
      `${baseUrl}/realtime${model === null ? '' : `?model=${encodeURIComponent(model)}`}`,
    passes: ['openai-beta', 'openai-safety-identifier'],
  },
  auth: bearer({
    settingHeaders: {
      'openai-organization': 'compat_organization',
      'openai-project': 'compat_project',
    },
  }),
  models: models.map((id) => ({ id, owned_by: 'openai' })),
})
