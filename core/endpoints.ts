/** Which route is which endpoint. */
import type { InferenceEndpoint } from './contract/index.ts'

export interface InferenceRoute {
  method: 'POST'
  path: string
  endpoint: InferenceEndpoint
}

export const inferenceRoutes: readonly InferenceRoute[] = [
  { method: 'POST', path: '/v1/chat/completions', endpoint: 'chatComplete' },
  { method: 'POST', path: '/v1/completions', endpoint: 'complete' },
  { method: 'POST', path: '/v1/embeddings', endpoint: 'embed' },
  { method: 'POST', path: '/v1/images/generations', endpoint: 'imageGenerate' },
  { method: 'POST', path: '/v1/rerank', endpoint: 'rerank' },
]
