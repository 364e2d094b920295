/** Which route is which endpoint. */
import type { EndpointId } from '@gateway/contract'

export interface InferenceRoute {
  method: 'POST'
  path: string
  endpoint: EndpointId
}

export const inferenceRoutes: readonly InferenceRoute[] = [
  { method: 'POST', path: '/v1/chat/completions', endpoint: 'chatComplete' },
  { method: 'POST', path: '/v1/completions', endpoint: 'complete' },
  { method: 'POST', path: '/v1/embeddings', endpoint: 'embed' },
  { method: 'POST', path: '/v1/images/generations', endpoint: 'imageGenerate' },
  { method: 'POST', path: '/v1/rerank', endpoint: 'rerank' },
  { method: 'POST', path: '/v1/audio/speech', endpoint: 'createSpeech' },
  { method: 'POST', path: '/v1/audio/transcriptions', endpoint: 'createTranscription' },
  { method: 'POST', path: '/v1/audio/translations', endpoint: 'createTranslation' },
  { method: 'POST', path: '/v1/moderations', endpoint: 'moderate' },
  { method: 'POST', path: '/v1/images/edits', endpoint: 'imageEdit' },
  { method: 'POST', path: '/v1/messages', endpoint: 'messages' },
  { method: 'POST', path: '/v1/responses', endpoint: 'createModelResponse' },
  { method: 'POST', path: '/v1/messages/count_tokens', endpoint: 'countTokens' },
]

/** Endpoints whose answers are never stored (contract section 4, cache). */
export const uncached: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'createSpeech',
  'createTranscription',
  'createTranslation',
  'moderate',
  'imageEdit',
  'proxy',
])

/** The endpoint whose route a path is, whatever the method; null for every other path. */
export function endpointAt(path: string): EndpointId | null {
  const plain = path.endsWith('/') ? path.slice(0, -1) : path
  return inferenceRoutes.find((route) => route.path === plain)?.endpoint ?? null
}
