/**
 * `POST /v1/messages/batches`: forwarded to the provider. The estimated usage of its requests is reserved. When the
 * provider has run them, their actual usage is charged once, at batch prices. Errors: 412 `usage_limit_exceeded`.
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
    // The body has no file: it contains the requests.
    body: { input_file_id: '', completion_window: '24h', endpoint: '/v1/messages' },
    need: async () => needsOf(request.body),
  })
}

/**
 * Null if nothing is to be charged: the runner's submissions are part of a batch that is charged itself, and all others
 * are refused.
 */
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
