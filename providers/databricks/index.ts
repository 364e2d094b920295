/**
 * Databricks: the compatible format, with one path per serving endpoint; the model of a request is the name of the
 * endpoint.
 * Reference: https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference
 */
import type {
  Dialect,
  HttpEndpoint,
  InferenceEndpoint,
  Json,
  JsonObject,
  ProviderAdapter,
  UpstreamError,
} from '@gateway/contract'
import {
  bearer,
  compatibleDialect,
  compatibleError,
  type EndpointRules,
  pathSegment,
  systemRole,
} from '@gateway/provider-kit'
import { withReasoningParts, withTextContents } from './reasoning.ts'
import { baseUrl, configurations } from './settings.ts'

/** Errors are `{error_code, message}`. */
function databricksError(status: number, body: JsonObject): UpstreamError | null {
  const error = compatibleError(status, body)
  const { error_code: code } = body
  return error !== null && typeof code === 'string' && code !== '' ? { ...error, code } : error
}

/** Every chunk can contain the usage so far. */
const rules: Partial<Record<InferenceEndpoint, EndpointRules>> = {
  chatComplete: {
    drops: ['model'],
    renames: { max_completion_tokens: 'max_tokens' },
    ...systemRole,
    usageIn: 'chunk',
  },
  complete: { drops: ['model'], usageIn: 'chunk' },
  embed: { drops: ['model'] },
}

/** A call of the serving endpoint named in the body. */
const invoke = (dialect: Dialect): HttpEndpoint => ({
  kind: 'http',
  method: 'POST',
  path: ({ model }, { provider }) => `/${pathSegment(model, '/model', provider)}/invocations`,
  dialect: { ...dialect, error: databricksError },
})

/** Chat, in which the content of a message can be a list of reasoning and text. */
function withReasoning(dialect: Dialect): Dialect {
  const { stream } = dialect
  if (typeof stream !== 'function') return dialect
  return {
    ...dialect,
    request: (body, context) => dialect.request(withReasoningParts(body), context),
    answer: (body, context) => withTextContents(dialect.answer(body, context), context),
    stream(context) {
      const inner = stream(context)
      return {
        event(event) {
          const { chunks, done } = inner.event(event)
          return { chunks: chunks.map((chunk) => withTextContents(chunk, context)), done }
        },
        end: () => inner.end(),
      }
    },
  }
}

const chatWith = (parameters: readonly string[]): HttpEndpoint =>
  invoke(withReasoning(compatibleDialect('chatComplete', rules.chatComplete, parameters)))

const chat = chatWith(['top_k'])
/** Parameters of the models' own vendor. */
const claudeChat = chatWith(['top_k', 'thinking', 'cache_control'])

const isClaude = (model: Json | undefined) => typeof model === 'string' && /claude/i.test(model)

const models = [
  'databricks-claude-sonnet-4-6',
  'databricks-claude-opus-4-8',
  'databricks-gpt-5-4',
  'databricks-gpt-oss-120b',
  'databricks-meta-llama-3-3-70b-instruct',
  'databricks-gte-large-en',
]

const adapter: ProviderAdapter = {
  name: 'databricks',
  title: 'Databricks',
  docs: 'https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference',
  baseUrl,
  credential: 'required',
  auth: bearer(),
  endpoints: {
    chatComplete: { kind: 'choice', choose: ({ model }) => (isClaude(model) ? claudeChat : chat) },
    complete: invoke(compatibleDialect('complete', rules.complete)),
    embed: invoke(compatibleDialect('embed', rules.embed)),
  },
  models: models.map((id) => ({ id, owned_by: 'databricks' })),
  configurations,
  notes: {
    remarks: [
      'The model is the name of a serving endpoint.',
      '`resource_name` (or the stored `databricks_workspace`) is the workspace; for a workspace on Azure or Google Cloud set `custom_host`, such as `https://adb-1.2.azuredatabricks.net/serving-endpoints`.',
      'Reasoning in a content list is returned as `content_blocks` with `strict_compat_compliance: false`, and can be sent back.',
    ],
    example: {
      provider: 'databricks',
      api_key: `\${DATABRICKS_TOKEN}`,
      resource_name: 'dbc-a1b2c3d4-e5f6',
    },
  },
}

export default adapter
