/**
 * Anthropic: the Messages API. `file_id` parts and other beta features need the vendor's `anthropic-beta` header,
 * which `forward_headers` lets through. Reference: https://platform.claude.com/docs/en/api/overview
 */
import type { ProviderAdapter } from '@gateway/core/contract'
import { anthropicDialect, anthropicVersion, header } from '@gateway/provider-kit'

const models = [
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-fable-5-2',
  'claude-opus-4-8',
  'claude-sonnet-4-6',
  'claude-haiku-4-5-20251001',
]

const adapter: ProviderAdapter = {
  name: 'anthropic',
  title: 'Anthropic',
  docs: 'https://platform.claude.com/docs/en/api/messages',
  baseUrl: 'https://api.anthropic.com/v1',
  credential: 'required',
  auth: header({ name: 'x-api-key', headers: () => ({ 'anthropic-version': anthropicVersion }) }),
  endpoints: {
    chatComplete: { kind: 'http', method: 'POST', path: '/messages', dialect: anthropicDialect },
  },
  models: models.map((id) => ({ id, owned_by: 'anthropic' })),
}

export default adapter
