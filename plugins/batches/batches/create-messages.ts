/**
 * `POST /v1/messages/batches`: passed on to the provider. What its requests may need is reserved, and what they used is
 * booked once when the provider has run them, at the price of batches.
 * Errors: 412 `usage_limit_exceeded`.
 */
import {
  type EndpointRequest,
  type EndpointTarget,
  isObject,
  type JsonObject,
  type ServiceAnswer,
} from '@gateway/contract'
import { createWatched } from './create-watched.ts'
import type { CreateParts } from './make-batch.ts'
import { createNeeds } from './need.ts'

export async function createMessageBatch(
  parts: CreateParts,
  request: EndpointRequest,
): Promise<ServiceAnswer | null> {
  const target = await targetOf(request)
  if (target === null) {
    await request.forward(request.body)
    return null
  }
  return createWatched(parts, request, {
    target,
    format: 'messages',
    // The body has no file: the requests stand in it.
    body: { input_file_id: '', completion_window: '24h', endpoint: '/v1/messages' },
    need: async () => needsOf(request.body),
  })
}

/** Null where nothing is to be booked: what the runner submits is part of a batch that is, and the rest is refused. */
async function targetOf(request: EndpointRequest): Promise<EndpointTarget | null> {
  if (request.isExempt) return null
  const [target, ...others] = await request.targets()
  return target?.has('createMessageBatch') === true && others.length === 0 ? target : null
}

function needsOf({ requests }: JsonObject) {
  const needs = createNeeds(null)
  for (const request of Array.isArray(requests) ? requests : [])
    if (isObject(request) && isObject(request.params)) needs.add(request.params)
  return needs.all()
}
