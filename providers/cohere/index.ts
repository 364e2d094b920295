/**
 * Cohere: chat, embeddings and reranking with API v2, datasets and embed jobs with v1. The text completions of v1
 * (`/v1/generate`) are retired.
 * Reference: https://docs.cohere.com/reference/about, https://docs.cohere.com/docs/deprecations
 */
import type { ProviderAdapter } from '@gateway/contract'
import { bearer, cohereDialect, cohereEmbedDialect, rerankDialect } from '@gateway/provider-kit'
import { datasetEndpoints } from './datasets.ts'
import { batchLines, embedJobEndpoints } from './embed-jobs.ts'

const models = [
  'command-a-plus-05-2026',
  'command-a-03-2025',
  'command-a-reasoning-08-2025',
  'command-a-vision-07-2025',
  'command-a-translate-08-2025',
  'command-r7b-12-2024',
  'command-r-plus-08-2024',
  'command-r-08-2024',
  'embed-v4.0',
  'embed-english-v3.0',
  'embed-multilingual-v3.0',
  'rerank-v4.0-pro',
  'rerank-v4.0-fast',
  'rerank-v3.5',
]

const adapter: ProviderAdapter = {
  name: 'cohere',
  title: 'Cohere',
  docs: 'https://docs.cohere.com/reference/chat',
  baseUrl: 'https://api.cohere.com/v2',
  credential: 'required',
  auth: bearer(),
  endpoints: {
    chatComplete: { kind: 'http', method: 'POST', path: '/chat', dialect: cohereDialect },
    embed: { kind: 'http', method: 'POST', path: '/embed', dialect: cohereEmbedDialect },
    rerank: {
      kind: 'http',
      method: 'POST',
      path: '/rerank',
      dialect: rerankDialect({
        documentsAsText: true,
        renames: { max_tokens_per_document: 'max_tokens_per_doc' },
        drops: ['return_documents', 'truncation'],
        searchUnitsAt: ['meta', 'billed_units', 'search_units'],
      }),
    },
    ...datasetEndpoints,
    ...embedJobEndpoints,
  },
  batchLines,
  models: models.map((id) => ({ id, owned_by: 'cohere' })),
  notes: {
    remarks: [
      '`documents`, `citation_options`, `safety_mode`, `strict_tools`, `priority` and `top_k` are forwarded for chat; `input_type` (default `search_document`), `truncate`, `images`, `inputs` and `embedding_types` for embeddings.',
      'Clamped to the vendor’s ranges: `temperature` to 0…1, `top_p` to 0.01…0.99, `top_k` to 0…500, the penalties to 0…1.',
      'For a `tool_choice` that names a function, only that function is sent, and a call is forced. An assistant’s text next to its tool calls is sent as `tool_plan`.',
      '`response_format: json_schema` is converted to the subset of structured outputs; constraints that cannot be enforced are written into descriptions.',
      'Any `reasoning_effort` except `none` turns thinking on; `thinking` with a budget needs `strict_compat_compliance: false`.',
      'Citations of sources with a URL are returned as `annotations`; without strict compliance all are in `citations`.',
      '`encoding_format` can also be `int8`, `uint8`, `binary` or `ubinary`. With `input_type: image` the inputs are images, as base64 data URLs.',
      '`n` above 1, `modalities` other than text and `web_search_options` are refused.',
      'Files are datasets of texts, batches are embed jobs over them (`/v1/embeddings`, one text per line, models of embed v3.0); `provider_options` are forwarded to the job, such as `input_type`, `truncate` and `embedding_types`. Chat has no batches with the window 24h: the vendor documents no format for their lines.',
      'Text completions are not available: the vendor retired `/v1/generate`.',
    ],
    drops: {
      chatComplete: [
        'logit_bias',
        'top_logprobs',
        'parallel_tool_calls',
        'user',
        'metadata',
        'store',
        'service_tier',
        'messages[].name',
      ],
      embed: ['user'],
      rerank: ['truncation'],
    },
    example: { provider: 'cohere', api_key: 'YOUR_API_KEY' },
  },
}

export default adapter
