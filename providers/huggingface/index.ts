/**
 * Hugging Face's Inference Providers: chat at the router, in the compatible format; a suffix of the model
 * (`org/name:provider`) selects the inference provider. Text completions use a path of one inference provider below
 * the router. The older `api-inference.huggingface.co` no longer exists.
 * References: https://huggingface.co/docs/inference-providers/tasks/chat-completion,
 * https://huggingface.co/docs/inference-endpoints/ (a dedicated endpoint is a custom host)
 */
import {
  type Dialect,
  GatewayError,
  type JsonObject,
  type ProviderAdapter,
  type ProviderSettings,
} from '@gateway/contract'
import {
  bearer,
  compatibleDialect,
  compatibleProvider,
  modelsDialect,
  pathSegment,
  pathSegments,
  systemRole,
} from '@gateway/provider-kit'
import { type TSchema, Type } from '@sinclair/typebox'

const origin = 'https://router.huggingface.co'

const configurations: TSchema = Type.Object(
  { huggingface_base_url: Type.Optional(Type.String({ pattern: '^https?://[^\\s?#]+$', maxLength: 2048 })) },
  { additionalProperties: false },
)

const storedUrl = ({ configurations: stored }: ProviderSettings): string | null =>
  typeof stored?.huggingface_base_url === 'string' ? stored.huggingface_base_url.replace(/\/+$/, '') : null

/** Whether calls go to the caller's own server, whose address includes the version. */
const isOwnServer = (settings: ProviderSettings): boolean =>
  settings.custom_host !== undefined || storedUrl(settings) !== null

const below = (path: string) => (_: JsonObject, settings: ProviderSettings) =>
  isOwnServer(settings) ? path : `/v1${path}`

interface RoutedModel {
  name: string
  /** The inference provider; null when the model does not specify one. */
  runner: string | null
}

function routedModel(model: unknown): RoutedModel {
  const [name = '', runner = ''] = typeof model === 'string' ? model.split(':', 2) : []
  return { name, runner: runner === '' ? null : runner }
}

/** Routing policies that only chat supports. */
const policies: readonly string[] = ['fastest', 'cheapest', 'preferred']

function completionPath({ model }: JsonObject, settings: ProviderSettings): string {
  if (isOwnServer(settings)) return '/completions'
  const { name, runner } = routedModel(model)
  const { provider } = settings
  if (runner === null) return `/hf-inference/models/${pathSegments(name, '/model', provider)}/v1/completions`
  if (!policies.includes(runner)) return `/${pathSegment(runner, '/model', provider)}/v1/completions`
  throw new GatewayError(
    'invalid_body',
    `/model: text completions require the name of an inference provider instead of "${runner}" (provider ${provider})`,
    { param: '/model' },
  )
}

const completion = compatibleDialect('complete')

/** The path contains the inference provider; the model name omits it. */
const completionDialect: Dialect = {
  ...completion,
  request(body, context) {
    const sent = completion.request(body, context)
    if (isOwnServer(context.settings)) return sent
    const { name, runner } = routedModel(sent.model)
    return runner === null ? sent : { ...sent, model: name }
  },
}

const adapter: ProviderAdapter = {
  ...compatibleProvider({
    name: 'huggingface',
    title: 'Hugging Face',
    docs: 'https://huggingface.co/docs/inference-providers/tasks/chat-completion',
    baseUrl: origin,
    endpoints: ['chatComplete'],
    paths: { chatComplete: below('/chat/completions') },
    rules: { chatComplete: systemRole },
    own: {
      complete: { kind: 'http', method: 'POST', path: completionPath, dialect: completionDialect },
      listModels: { kind: 'http', method: 'GET', path: below('/models'), dialect: modelsDialect },
    },
    auth: bearer({ settingHeaders: { 'x-hf-bill-to': 'compat_organization' } }),
    models: [
      'deepseek-ai/DeepSeek-V3.2',
      'meta-llama/Llama-3.3-70B-Instruct',
      'moonshotai/Kimi-K2.6',
      'openai/gpt-oss-120b',
      'Qwen/Qwen3-235B-A22B-Instruct-2507',
    ].map((id) => ({ id, owned_by: id.split('/')[0] })),
    notes: {
      remarks: [
        'A suffix of the model selects the inference provider (`openai/gpt-oss-120b:groq`), or a routing policy (`:fastest`, `:cheapest`).',
        'Text completions are sent to the inference provider in the suffix, otherwise to `hf-inference`.',
        'For a dedicated endpoint or your own server, `custom_host` (or the stored `huggingface_base_url`) is its base URL with `/v1`.',
        '`compat_organization` is billed for the call (`X-HF-Bill-To`).',
      ],
      example: {
        provider: 'huggingface',
        api_key: `\${HF_TOKEN}`,
      },
    },
  }),
  baseUrl: (settings) => storedUrl(settings) ?? origin,
  configurations,
}

export default adapter
