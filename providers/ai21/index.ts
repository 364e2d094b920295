/**
 * AI21: Jamba chat. The vendor retired the Jurassic models, with their completions and embeddings, in November 2024.
 * Reference: https://docs.ai21.com/reference/jamba-1-6-api-ref, https://docs.ai21.com/august-deprecation-notice
 */
import type { ProviderAdapter } from '@gateway/contract'
import { bearer, compatibleError } from '@gateway/provider-kit'
import { ai21Answer, ai21Stream } from './answer.ts'
import { ai21Request } from './request.ts'

const models = ['jamba-large', 'jamba-mini']

const adapter: ProviderAdapter = {
  name: 'ai21',
  title: 'AI21 Labs',
  docs: 'https://docs.ai21.com/reference/jamba-1-6-api-ref',
  baseUrl: 'https://api.ai21.com/studio/v1',
  credential: 'required',
  auth: bearer(),
  endpoints: {
    chatComplete: {
      kind: 'http',
      method: 'POST',
      path: '/chat/completions',
      dialect: {
        name: 'ai21-chat',
        request: ai21Request,
        answer: ai21Answer,
        stream: ai21Stream,
        error: compatibleError,
      },
    },
  },
  models: models.map((id) => ({ id, owned_by: 'ai21' })),
  notes: {
    remarks: [
      'The vendor announced the end of the Jamba API for August 9, 2026.',
      'Only text content is supported; images, files and audio are refused, and so are `response_format: json_schema`, `web_search_options` and a `tool_choice` that forces a call. `documents` is forwarded.',
      'Text completions and embeddings are not available: the vendor retired them with its Jurassic models.',
    ],
    drops: {
      chatComplete: [
        'frequency_penalty',
        'presence_penalty',
        'seed',
        'logit_bias',
        'logprobs',
        'top_logprobs',
        'parallel_tool_calls',
        'reasoning_effort',
        'user',
        'messages[].name',
      ],
    },
    example: { provider: 'ai21', api_key: 'YOUR_API_KEY' },
  },
}

export default adapter
