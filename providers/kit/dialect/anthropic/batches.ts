/**
 * Message Batches: forwarded unchanged, except that the URL of the results points to the gateway.
 * https://platform.claude.com/docs/en/api/retrieving-message-batches
 */
import {
  type Dialect,
  type EndpointId,
  type HttpEndpoint,
  isObject,
  type Json,
  type JsonObject,
} from '@gateway/contract'
import { pathSegment } from '../../path-segment.ts'
import { queryOf, withQuery } from '../compatible/responses.ts'
import { anthropicError } from './errors.ts'
import { messagesHeaders } from './native.ts'

const path = '/messages/batches'

const batches: Dialect = {
  name: 'message-batches',
  request: (body) => body,
  answer: (body) =>
    Array.isArray(body.data) ? { ...body, data: body.data.map(readHere) } : withOwnResults(body),
  error: anthropicError,
}

const bare: Dialect = { ...batches, request: () => ({}) }
const results: Dialect = { ...batches, name: 'message-batch-results', otherwise: 'raw' }

const readHere = (item: Json): Json => (isObject(item) ? withOwnResults(item) : item)

/** The URL is below the client's base URL: the results are then also read with the gateway's key. */
const withOwnResults = (batch: JsonObject): JsonObject =>
  typeof batch.results_url === 'string' && typeof batch.id === 'string'
    ? { ...batch, results_url: `/v1${path}/${encodeURIComponent(batch.id)}/results` }
    : batch

const one = (method: HttpEndpoint['method'], behind = '', dialect: Dialect = batches): HttpEndpoint => ({
  kind: 'http',
  method,
  path: (body, { provider }) =>
    `${path}/${pathSegment(body.message_batch_id, 'path/message_batch_id', provider)}${behind}`,
  dialect,
  passes: messagesHeaders,
})

export const messageBatchEndpoints: Partial<Record<EndpointId, HttpEndpoint>> = {
  createMessageBatch: { kind: 'http', method: 'POST', path, dialect: batches, passes: messagesHeaders },
  listMessageBatches: {
    kind: 'http',
    method: 'GET',
    path: (body) => withQuery(path, queryOf(body, ['after_id', 'before_id', 'limit'])),
    dialect: batches,
    passes: messagesHeaders,
  },
  retrieveMessageBatch: one('GET'),
  cancelMessageBatch: one('POST', '/cancel', bare),
  deleteMessageBatch: one('DELETE'),
  getMessageBatchResults: one('GET', '/results', results),
}
