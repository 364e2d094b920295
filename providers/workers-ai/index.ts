/**
 * Cloudflare Workers AI: models of an account, each with its own path (`/ai/run/@cf/…`) and format. Only these paths
 * serve all models; the vendor's compatible paths support only chat and embeddings.
 * Reference: https://developers.cloudflare.com/workers-ai/models/
 */
import type { Dialect, HttpEndpoint, ProviderAdapter } from '@gateway/contract'
import { bearer, pathSegments } from '@gateway/provider-kit'
import { chatAnswer } from './chat-answer.ts'
import { chatRequest } from './chat-request.ts'
import { chatStream } from './chat-stream.ts'
import { embedDialect } from './embed.ts'
import { imageDialect } from './image.ts'
import { workersError } from './result.ts'
import { baseUrl, configurations } from './settings.ts'
import { textDialect } from './text.ts'

const chatDialect: Dialect = {
  name: 'workers-ai-chat',
  parameters: ['top_k', 'thinking'],
  request: chatRequest,
  answer: chatAnswer,
  stream: chatStream,
  error: workersError,
}

/** A call of the model named in the body. */
const run = (dialect: Dialect): HttpEndpoint => ({
  kind: 'http',
  method: 'POST',
  path: ({ model }, { provider }) => `/${pathSegments(model, '/model', provider)}`,
  dialect,
})

const models = [
  '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
  '@cf/meta/llama-4-scout-17b-16e-instruct',
  '@cf/moonshotai/kimi-k2.6',
  '@cf/openai/gpt-oss-120b',
  '@cf/zai-org/glm-4.7-flash',
  '@cf/baai/bge-m3',
  '@cf/google/embeddinggemma-300m',
  '@cf/black-forest-labs/flux-1-schnell',
  '@cf/black-forest-labs/flux-2-dev',
  '@cf/leonardo/lucid-origin',
]

const adapter: ProviderAdapter = {
  name: 'workers-ai',
  priceList: 'cloudflare',
  title: 'Cloudflare Workers AI',
  docs: 'https://developers.cloudflare.com/workers-ai/models/',
  baseUrl,
  credential: 'required',
  auth: bearer(),
  endpoints: {
    chatComplete: run(chatDialect),
    complete: run(textDialect),
    embed: run(embedDialect),
    imageGenerate: run(imageDialect),
  },
  models: models.map((id) => ({ id, owned_by: id.split('/')[1] })),
  configurations,
  notes: {
    remarks: [
      '`resource_name` (or the stored `workers_ai_account_id`) is the account’s id; `custom_host` ends with `/ai/run`.',
      'The default token limit of most models is 256.',
      'For models that report no finish reason it is `tool_calls` with calls, `length` at the token limit, otherwise `stop`.',
      '`seed` is raised to at least 1, `top_p` to at least 0.001.',
      'For a `tool_choice` that names a function, only that function is sent; for `none` no tools are sent.',
      '`n` is forwarded; models of the older format return one choice regardless.',
      'The Llama, Mistral, Hermes, Qwen 2, Gemma 3 and gpt-oss families get the plain schema for `json_schema`.',
      'A model’s own parameters, such as `top_k`, `raw`, `num_steps` or `negative_prompt`, are forwarded unchanged.',
      'One image is generated per call; FLUX.1 schnell has a fixed size.',
    ],
    drops: {
      embed: ['user'],
      imageGenerate: ['quality', 'style', 'background', 'moderation', 'output_format', 'user'],
    },
    example: {
      provider: 'workers-ai',
      api_key: `\${CLOUDFLARE_API_TOKEN}`,
      resource_name: 'account-id',
    },
  },
}

export default adapter
