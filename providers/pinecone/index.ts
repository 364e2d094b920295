/**
 * Pinecone: hosted rerank models. Documents are objects with an id.
 * Reference: https://docs.pinecone.io/reference/api/2026-04/inference/rerank
 */
import type { ProviderAdapter } from '@gateway/contract'
import { header, rerankDialect } from '@gateway/provider-kit'

/** The API version of this adapter. */
const apiVersion = '2026-04'

const models = ['pinecone-rerank-v0', 'bge-reranker-v2-m3', 'cohere-rerank-4-fast']
const drops = ['priority']

const adapter: ProviderAdapter = {
  name: 'pinecone',
  title: 'Pinecone',
  docs: 'https://docs.pinecone.io/guides/search/rerank-results',
  baseUrl: 'https://api.pinecone.io',
  credential: 'required',
  auth: header({ name: 'api-key', headers: () => ({ 'x-pinecone-api-version': apiVersion }) }),
  endpoints: {
    rerank: {
      kind: 'http',
      method: 'POST',
      path: '/rerank',
      dialect: rerankDialect({
        documentsAsRecords: true,
        parameters: { truncation: 'truncate', max_tokens_per_document: 'max_tokens_per_doc' },
        searchUnitsAt: ['usage', 'rerank_units'],
        drops,
        // It returns documents by default.
        additions: { return_documents: false },
      }),
    },
  },
  models: models.map((id) => ({ id, owned_by: 'pinecone' })),
  notes: {
    remarks: [
      'Documents are sent as objects; the default `id` is the index of the document.',
      '`truncation` is sent as `parameters.truncate`, `max_tokens_per_document` as `parameters.max_tokens_per_doc` (not every model supports it); other model parameters are sent in `parameters`.',
    ],
    drops: { rerank: drops },
    example: { provider: 'pinecone', api_key: 'YOUR_API_KEY' },
  },
}

export default adapter
