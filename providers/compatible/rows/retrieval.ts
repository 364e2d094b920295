/** Providers of embeddings and reranking, by name. */
import type { CompatibleRow } from '@gateway/provider-kit'

export const retrieval: readonly CompatibleRow[] = [
  {
    name: 'jina',
    title: 'Jina AI',
    docs: 'https://api.jina.ai/redoc',
    baseUrl: 'https://api.jina.ai/v1',
    endpoints: ['embed', 'rerank'],
    rules: {
      embed: { renames: { encoding_format: 'embedding_type' }, drops: ['user'] },
      rerank: { documentsAsText: true, drops: ['max_tokens_per_document', 'priority', 'rank_fields'] },
    },
  },
  {
    name: 'voyage',
    title: 'Voyage AI',
    docs: 'https://docs.voyageai.com/reference/embeddings-api',
    baseUrl: 'https://api.voyageai.com/v1',
    endpoints: ['embed', 'rerank'],
    // Lists of numbers are what it gives without `encoding_format`; its usage is one total.
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
        drops: ['max_tokens_per_document', 'priority', 'rank_fields'],
      },
    },
  },
]
