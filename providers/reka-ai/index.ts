/**
 * Reka: its own chat format for its models, and the compatible one for its research agent.
 * Reference: https://docs.reka.ai/chat/overview, https://docs.reka.ai/research/api-reference
 */
import type { HttpEndpoint, ProviderAdapter } from '@gateway/contract'
import { compatibleDialect, compatibleError, credentialOf, header, systemRole } from '@gateway/provider-kit'
import { rekaAnswer, rekaStream } from './answer.ts'
import { rekaRequest } from './request.ts'

const models = ['reka-core', 'reka-flash', 'reka-edge', 'reka-flash-research']

/** A custom host can end with or without the version. */
const versioned =
  (path: string): HttpEndpoint['path'] =>
  (_body, { custom_host: host }) =>
    host === undefined || /\/v\d+\/*$/.test(host) ? path : `/v1${path}`

const chat: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: versioned('/chat'),
  dialect: {
    name: 'reka-chat',
    parameters: ['top_k'],
    request: rekaRequest,
    answer: rekaAnswer,
    stream: rekaStream,
    error: compatibleError,
  },
}

/** The research agent expects the key as a bearer token. */
const research: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: versioned('/chat/completions'),
  dialect: compatibleDialect('chatComplete', systemRole),
  headers(_body, { settings }): Record<string, string> {
    const key = credentialOf(settings)
    return key === null ? {} : { authorization: `Bearer ${key}` }
  },
}

const isResearch = (model: unknown) => typeof model === 'string' && model.startsWith('reka-flash-research')

const adapter: ProviderAdapter = {
  name: 'reka-ai',
  title: 'Reka',
  docs: 'https://docs.reka.ai/chat/overview',
  baseUrl: 'https://api.reka.ai/v1',
  credential: 'required',
  webSearch: (model) => (isResearch(model) ? null : { besideTools: false, allowedDomains: false }),
  auth: header({ name: 'x-api-key' }),
  endpoints: {
    chatComplete: { kind: 'choice', choose: ({ model }) => (isResearch(model) ? research : chat) },
  },
  models: models.map((id) => ({ id, owned_by: 'reka' })),
  notes: {
    remarks: [
      'Models named `reka-flash-research…` are sent to the compatible `/chat/completions`, with all parameters; others to `/chat`.',
      'In `/chat`, JSON modes, files and `modalities` other than text are refused; `web_search_options` becomes `use_search_engine`; that, `top_k` and parts of the types `video_url`, `audio_url` and `pdf_url` are forwarded.',
      'For a `tool_choice` that names a function, only that function is sent, and a call is forced.',
    ],
    drops: {
      chatComplete: [
        'logit_bias',
        'logprobs',
        'top_logprobs',
        'parallel_tool_calls',
        'reasoning_effort',
        'user',
        'messages[].name',
      ],
    },
    example: { provider: 'reka-ai', api_key: 'YOUR_API_KEY' },
  },
}

export default adapter
