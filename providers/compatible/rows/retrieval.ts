/** Providers of embeddings and reranking, by name. */
import type { CompatibleRow } from '@gateway/provider-kit'

const jinaModels = [
  'jina-embeddings-v4',
  'jina-embeddings-v3',
  'jina-clip-v2',
  'jina-code-embeddings-1.5b',
  'jina-reranker-v3',
  'jina-reranker-m0',
  'jina-reranker-v2-base-multilingual',
]

const voyageModels = [
  'voyage-4-large',
  'voyage-4',
  'voyage-4-lite',
  'voyage-3-large',
  'voyage-3.5',
  'voyage-code-3',
  'rerank-2.5',
  'rerank-2.5-lite',
]

export const retrieval: readonly CompatibleRow[] = [
  {
    name: 'jina',
    title: 'Jina AI',
    docs: 'https://api.jina.ai/redoc',
    baseUrl: 'https://api.jina.ai/v1',
    endpoints: ['embed', 'rerank'],
    // `embedding_type` accepts `float`, `base64` and other types.
    rules: {
      embed: { renames: { encoding_format: 'embedding_type' }, drops: ['user'] },
      rerank: { documentsAsText: true, drops: ['max_tokens_per_document', 'priority', 'truncation'] },
    },
    extras: { embed: ['task', 'late_chunking', 'truncate', 'normalized', 'return_multivector'] },
    models: jinaModels.map((id) => ({ id, owned_by: 'jina' })),
  },
  {
    name: 'voyage',
    priceList: 'voyageai',
    title: 'Voyage AI',
    docs: 'https://docs.voyageai.com/reference/embeddings-api',
    baseUrl: 'https://api.voyageai.com/v1',
    endpoints: ['embed', 'rerank'],
    // It returns lists of numbers without `encoding_format`; its usage is one total.
    rules: {
      embed: {
        renames: { dimensions: 'output_dimension' },
        drops: ['user'],
        defaults: { encoding_format: 'float' },
        usageIsTotal: true,
      },
      rerank: {
        renames: { top_n: 'top_k' },
        documentsAsText: true,
        drops: ['max_tokens_per_document', 'priority'],
      },
    },
    extras: { embed: ['input_type', 'truncation', 'output_dtype'] },
    models: voyageModels.map((id) => ({ id, owned_by: 'voyage' })),
  },
]
