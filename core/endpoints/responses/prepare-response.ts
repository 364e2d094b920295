/**
 * A create request with `generate: false`, which clients of the WebSocket send ahead: the conversation is kept for the
 * response that continues it on the same socket, and no model is called. It is never stored: it has passed no guardrail and
 * no limit yet, which the response that continues it does. Errors: 404 `previous_response_not_found`; `invalid_body`.
 * Reference: https://platform.openai.com/docs/guides/websocket-mode
 */
import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@gateway/contract'
import { checkBody } from '../body/validate-body.ts'
import { createResponse } from './create.ts'
import { responsePrefix } from './items.ts'
import { inputItems } from './kept-items.ts'
import { type History, loadHistory } from './load-history.ts'
import { unknownPreviousResponse } from './request.ts'
import { responseObject, usageOf } from './response-object.ts'

/** The prepared response: complete, and without output. */
export async function prepareResponse(body: JsonObject, history: History): Promise<JsonObject> {
  checkBody(createResponse, body, JSON.stringify(body).length)
  const { workspace, store } = history
  const { body: whole, continued } = await loadHistory(body, history)
  if (typeof body.previous_response_id === 'string' && continued === null)
    throw unknownPreviousResponse(body.previous_response_id)
  const id = responsePrefix + randomUUID().replaceAll('-', '')
  const response = responseObject(
    {
      id,
      createdAt: Math.floor(Date.now() / 1000),
      model: body.model,
      serviceTier: body.service_tier,
      ending: { status: 'completed', reason: null },
      output: [],
      usage: usageOf({}),
    },
    { request: body, now: Date.now },
  )
  store.keepUnstored?.(workspace, { response, items: inputItems(whole.input) })
  return response
}
