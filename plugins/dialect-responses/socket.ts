/**
 * The WebSocket form of `/v1/responses`: each message `{"type": "response.create", …}` is a create request. Clients
 * send some requests ahead with `generate: false`. Such a request is only prepared: no model is called, and its
 * conversation is kept for a response that continues it on the same socket. It is never stored, because guardrails and
 * limits apply only to the response that continues it. Errors: 404 `previous_response_not_found`; `invalid_body`.
 * Reference: https://platform.openai.com/docs/guides/websocket-mode
 */
import { randomUUID } from 'node:crypto'
import { GatewayError, isObject, type JsonObject } from '@gateway/contract'
import type { History, RequestSocket, SocketRequest } from '@gateway/contract/dialect'
import { responsePrefix } from './items.ts'
import { inputItems } from './kept-items.ts'
import { recall } from './recall.ts'
import { unknownPreviousResponse } from './request.ts'
import { responseObject, usageOf } from './response-object.ts'

export const responseSocket: RequestSocket = {
  paths: ['/v1/responses', '/responses'],
  read,
  prepare,
  writeError: (status, body) => ({ type: 'error', status, ...body }),
}

/** Providers without a WebSocket API do not define `generate`. */
function read({ type, response, ...members }: JsonObject): SocketRequest {
  if (type !== 'response.create')
    throw new GatewayError('invalid_body', '/type: must be response.create', { param: '/' })
  const request: JsonObject = { ...(isObject(response) ? response : {}), ...members, stream: true }
  const { generate, ...body } = request
  return { body, isPrepared: generate === false }
}

async function prepare(body: JsonObject, history: History): ReturnType<RequestSocket['prepare']> {
  const { body: whole, continued } = await recall(body, history)
  if (typeof body.previous_response_id === 'string' && continued === null)
    throw unknownPreviousResponse(body.previous_response_id)
  const response = responseObject(
    {
      id: responsePrefix + randomUUID().replaceAll('-', ''),
      createdAt: Math.floor(Date.now() / 1000),
      model: body.model,
      serviceTier: body.service_tier,
      ending: { status: 'completed', reason: null },
      output: [],
      usage: usageOf({}),
    },
    { request: body, now: Date.now },
  )
  const begun = { ...response, status: 'in_progress', completed_at: null, usage: null }
  return {
    messages: [
      { type: 'response.created', sequence_number: 0, response: begun },
      { type: 'response.completed', sequence_number: 1, response },
    ],
    kept: { response, items: inputItems(whole.input) },
  }
}
