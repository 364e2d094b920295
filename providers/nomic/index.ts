/**
 * Nomic: text embeddings of the Atlas API.
 * Reference: https://docs.nomic.ai/reference/api/embed-text-v-1-embedding-text-post
 */
import type { ProviderAdapter } from '@gateway/contract'
import { bearer } from '@gateway/provider-kit'
import { nomicDialect } from './dialect.ts'

const models = ['nomic-embed-text-v1.5', 'nomic-embed-text-v1', 'gte-multilingual-base']

const adapter: ProviderAdapter = {
  name: 'nomic',
  title: 'Nomic',
  docs: 'https://docs.nomic.ai/reference/api/embed-text-v-1-embedding-text-post',
  baseUrl: 'https://api-atlas.nomic.ai/v1',
  credential: 'required',
  auth: bearer(),
  endpoints: {
    embed: { kind: 'http', method: 'POST', path: '/embedding/text', dialect: nomicDialect },
  },
  models: models.map((id) => ({ id, owned_by: 'nomic' })),
  notes: {
    remarks: [
      '`task_type` (default `search_document`), `long_text_mode` and `max_tokens_per_text` are forwarded; `dimensions` is sent as `dimensionality`.',
    ],
    drops: { embed: ['user'] },
    example: { provider: 'nomic', api_key: 'YOUR_API_KEY' },
  },
}

export default adapter
