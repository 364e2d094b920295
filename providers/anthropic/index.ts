/**
 * Anthropic: the Messages API. `/v1/messages` and its token count are forwarded with the caller's API version and
 * beta features. For chat completions, `file_id` parts and other beta features need the vendor's `anthropic-beta`
 * header, which `forward_headers` enables.
 * Reference: https://platform.claude.com/docs/en/api/overview
 */
import type { HttpEndpoint, ProviderAdapter } from '@gateway/contract'
import {
  anthropicDialect,
  anthropicModelList,
  anthropicModelsDialect,
  anthropicVersion,
  countTokensDialect,
  header,
  messageBatchEndpoints,
  messagesDialect,
  messagesHeaders,
} from '@gateway/provider-kit'
import { notes } from './notes.ts'

const models = [
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-fable-5-2',
  'claude-opus-4-8',
  'claude-sonnet-4-6',
  'claude-haiku-4-5-20251001',
]

const version = { 'anthropic-version': anthropicVersion }

/** Forwards the caller's API version and beta features; the default is the version that this adapter implements. */
const passed: Pick<HttpEndpoint, 'kind' | 'method' | 'passes'> = {
  kind: 'http',
  method: 'POST',
  passes: messagesHeaders,
}

const withKey = header({ name: 'x-api-key' })

const adapter: ProviderAdapter = {
  name: 'anthropic',
  title: 'Anthropic',
  docs: 'https://platform.claude.com/docs/en/api/messages',
  baseUrl: 'https://api.anthropic.com/v1',
  credential: 'required',
  webSearch: () => ({ besideTools: true, allowedDomains: true }),
  auth: (request, settings, io) =>
    withKey({ ...request, headers: { ...version, ...request.headers } }, settings, io),
  endpoints: {
    chatComplete: {
      kind: 'http',
      method: 'POST',
      path: '/messages',
      dialect: anthropicDialect,
      headers: () => version,
    },
    messages: { ...passed, path: '/messages', dialect: messagesDialect },
    countTokens: { ...passed, path: '/messages/count_tokens', dialect: countTokensDialect },
    ...messageBatchEndpoints,
    listModels: { kind: 'http', method: 'GET', path: '/models?limit=1000', dialect: anthropicModelsDialect },
  },
  models: models.map((id) => ({ id, owned_by: 'anthropic' })),
  modelList: anthropicModelList,
  notes,
}

export default adapter
