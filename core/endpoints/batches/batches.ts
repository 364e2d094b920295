/**
 * Batches: forwarded to a provider, or run by the gateway line by line.
 * https://platform.openai.com/docs/api-reference/batch
 */

import type { EndpointId } from '@gateway/contract'
import { batchAnswer, batchCreate, batchList, batchQuery, batchRetrieval } from '@gateway/contract/wire'
import { type DeclaredEndpoint, declareEndpoint, type EndpointRoute } from '../declare-endpoint.ts'

type Given = Pick<EndpointRoute, 'method' | 'path' | 'summary' | 'query' | 'answer' | 'media'>

const declare = (
  id: EndpointId,
  { request = null, ...given }: Given & { request?: DeclaredEndpoint['request'] },
): DeclaredEndpoint =>
  declareEndpoint({
    id,
    request,
    isMetered: false,
    isLogged: id === 'createBatch',
    mayCache: () => false,
    routes: [{ ...given, operationId: id, tag: 'Batches', pipeline: 'provider-object' }],
  })

export const createBatch = declare('createBatch', {
  method: 'POST',
  path: '/v1/batches',
  summary: 'Creates a batch',
  request: batchCreate,
  answer: batchAnswer,
})

export const listBatches = declare('listBatches', {
  method: 'GET',
  path: '/v1/batches',
  summary: 'Lists batches',
  query: batchQuery,
  answer: batchList,
})

export const retrieveBatch = declare('retrieveBatch', {
  method: 'GET',
  path: '/v1/batches/:batch_id',
  summary: 'Returns a batch',
  query: batchRetrieval,
  answer: batchAnswer,
})

export const cancelBatch = declare('cancelBatch', {
  method: 'POST',
  path: '/v1/batches/:batch_id/cancel',
  summary: 'Cancels a batch',
  answer: batchAnswer,
})

export const getBatchOutput = declare('getBatchOutput', {
  method: 'GET',
  path: '/v1/batches/:batch_id/output',
  summary: 'Returns the output and the errors of a batch',
  media: { answer: ['application/jsonl'] },
})

export const retryBatch = declare('retryBatch', {
  method: 'POST',
  path: '/v1/batches/:batch_id/retry',
  summary: 'Retries the failed lines of a batch',
  answer: batchAnswer,
})
