/**
 * Batches: of a provider, or run by the gateway itself line by line.
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
  summary: 'Create a batch',
  request: batchCreate,
  answer: batchAnswer,
})

export const listBatches = declare('listBatches', {
  method: 'GET',
  path: '/v1/batches',
  summary: 'List batches',
  query: batchQuery,
  answer: batchList,
})

export const retrieveBatch = declare('retrieveBatch', {
  method: 'GET',
  path: '/v1/batches/:batch_id',
  summary: 'Read a batch',
  query: batchRetrieval,
  answer: batchAnswer,
})

export const cancelBatch = declare('cancelBatch', {
  method: 'POST',
  path: '/v1/batches/:batch_id/cancel',
  summary: 'Cancel a batch',
  answer: batchAnswer,
})

export const getBatchOutput = declare('getBatchOutput', {
  method: 'GET',
  path: '/v1/batches/:batch_id/output',
  summary: 'Read the output and the errors of a batch',
  media: { answer: ['application/jsonl'] },
})

export const retryBatch = declare('retryBatch', {
  method: 'POST',
  path: '/v1/batches/:batch_id/retry',
  summary: 'Run the failed lines of a batch again',
  answer: batchAnswer,
})
