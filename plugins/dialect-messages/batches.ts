/**
 * Message Batches for clients of that API. They are forwarded to the provider that the request specifies.
 * https://platform.claude.com/docs/en/api/creating-message-batches
 */
import type { EndpointId, JsonObject } from '@gateway/contract'
import { GatewayError, isObject } from '@gateway/contract'
import type { DialectEndpoint, DialectRoute } from '@gateway/contract/dialect'
import { Type } from '@sinclair/typebox'
import { messagesFormat } from './format.ts'

/** The provider's limit for a body. */
const maxBodyBytes = 268_435_456
const path = '/v1/messages/batches'

/** The members that every batch has. */
const batch = Type.Object(
  {
    id: Type.String({ examples: ['msgbatch_01HkcTjaV5uDC8jWR4ZsDV8d'] }),
    type: Type.Literal('message_batch'),
    processing_status: Type.String({ examples: ['in_progress'] }),
    request_counts: Type.Object({}, { additionalProperties: Type.Integer() }),
    created_at: Type.String(),
    results_url: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'MessageBatch', additionalProperties: true },
)
const batchPage = Type.Object(
  {
    data: Type.Array(batch),
    has_more: Type.Boolean(),
    first_id: Type.Union([Type.String(), Type.Null()]),
    last_id: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'MessageBatchPage', additionalProperties: true },
)
const deletion = Type.Object(
  { id: Type.String(), type: Type.Literal('message_batch_deleted') },
  { title: 'MessageBatchDeletion', additionalProperties: true },
)

type ProviderObjectRoute = Extract<DialectRoute, { serves: 'provider-object' }>
type Given = Pick<ProviderObjectRoute, 'method' | 'path' | 'summary' | 'media' | 'body' | 'answer'>

const declare = (id: EndpointId, given: Given): DialectEndpoint => ({
  id,
  format: messagesFormat,
  isMetered: false,
  isLogged: id === 'createMessageBatch',
  mayCache: () => false,
  routes: [{ serves: 'provider-object', ...given, operationId: id, tag: 'Messages' }],
})

function checkBatch(body: unknown): JsonObject {
  if (!isObject(body) || !Array.isArray(body.requests) || body.requests.length === 0)
    throw new GatewayError('invalid_body', '/requests: must be a list with at least one request', {
      param: '/requests',
    })
  return body
}

export const batches: readonly DialectEndpoint[] = [
  declare('createMessageBatch', {
    method: 'POST',
    answer: batch,
    path,
    summary: 'Creates a batch of messages',
    body: { maxBytes: maxBodyBytes, check: checkBatch },
  }),
  declare('listMessageBatches', {
    method: 'GET',
    answer: batchPage,
    path,
    summary: 'Lists batches of messages',
  }),
  declare('retrieveMessageBatch', {
    method: 'GET',
    answer: batch,
    path: `${path}/:message_batch_id`,
    summary: 'Returns a batch of messages',
  }),
  declare('cancelMessageBatch', {
    method: 'POST',
    answer: batch,
    path: `${path}/:message_batch_id/cancel`,
    summary: 'Cancels a batch of messages',
  }),
  declare('deleteMessageBatch', {
    method: 'DELETE',
    answer: deletion,
    path: `${path}/:message_batch_id`,
    summary: 'Deletes a batch of messages',
  }),
  declare('getMessageBatchResults', {
    method: 'GET',
    path: `${path}/:message_batch_id/results`,
    summary: 'Returns the results of a batch of messages',
    media: { answer: ['application/x-jsonl'] },
  }),
]
