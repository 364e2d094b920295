/**
 * `GET` and `DELETE /v1/responses/{id}` and `GET /v1/responses/{id}/input_items`: of what the gateway keeps itself, or
 * else asked of the provider that keeps it.
 * Errors: 403 `missing_scope`; 400 `invalid_query`; 404 `not_found`, also for what another workspace owns.
 */

import type { JsonObject } from '@gateway/contract'
import { createAnswer } from '../../flow/answer.ts'
import { type Exchange, required } from '../../flow/exchange.ts'
import { keptRequest } from '../../pipeline.ts'
import { frameStream } from '../../streaming/translate-stream.ts'
import { checkMayCallModels } from '../../tenancy/identity/may-call-models.ts'
import { responsesFormat } from './format.ts'
import { pageOf } from './list-items.ts'
import { type ItemsQuery, type ResponseQuery, readItemsQuery, readResponseQuery } from './query.ts'
import { replayResponse } from './replay.ts'
import { unknownResponse } from './request.ts'
import type { KeptResponse } from './response-store.ts'

export async function getResponse(exchange: Exchange, id: string): Promise<void> {
  exchange.endpoint = 'getModelResponse'
  const query = readResponseQuery(exchange.transport.query)
  const kept = await findKept(exchange, id)
  if (kept === null) return askProvider(exchange, id, { ...query })
  exchange.answer =
    query.stream === true
      ? createAnswer({ stream: frameStream(replay(kept, query), responsesFormat) })
      : createAnswer({ body: kept.response })
}

export async function deleteResponse(exchange: Exchange, id: string): Promise<void> {
  exchange.endpoint = 'deleteModelResponse'
  const { responses } = exchange.runtime
  const kept = await findKept(exchange, id)
  if (kept !== null) {
    await responses.forget(required(exchange.identity, 'identity').workspaceId, id)
    exchange.answer = createAnswer({ body: { id, object: 'response', deleted: true } })
    return
  }
  await askProvider(exchange, id, {})
  const { status } = required(exchange.answer, 'answer')
  if (status >= 200 && status <= 299) await responses.forgetOwner(id)
}

export async function listInputItems(exchange: Exchange, id: string): Promise<void> {
  exchange.endpoint = 'listResponseInputItems'
  const query: ItemsQuery = readItemsQuery(exchange.transport.query)
  const kept = await findKept(exchange, id)
  if (kept === null) return askProvider(exchange, id, { ...query })
  exchange.answer = createAnswer({ body: pageOf(kept.items, query) })
}

function findKept(exchange: Exchange, id: string): Promise<KeptResponse | null> {
  const identity = required(exchange.identity, 'identity')
  checkMayCallModels(identity)
  return exchange.runtime.responses.find(identity.workspaceId, id)
}

/** Providers without the endpoint keep nothing, and a request that names none has nobody to ask. */
const nobody = ['no_provider', 'unsupported_endpoint']

async function askProvider(exchange: Exchange, id: string, query: JsonObject): Promise<void> {
  exchange.body = { response_id: id, ...query }
  await keptRequest(exchange)
  const code = exchange.answer?.fault?.code
  if (code !== undefined && nobody.includes(code)) throw unknownResponse(id, 'path/response_id')
}

async function* replay({ response }: KeptResponse, { starting_after: after = -1 }: ResponseQuery) {
  for (const event of replayResponse(response)) if (Number(event.sequence_number) > after) yield event
}
