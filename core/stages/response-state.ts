/**
 * The state of `/v1/responses`: references of a request are resolved once, before any config node sees the body; the
 * answer is stored as the caller receives it, after all checks. Errors: 404 `not_found`; 503 `dependency_unavailable`
 * when the state cannot be read.
 */
import { loadHistory } from '../endpoints/responses/load-history.ts'
import { saveResponse } from '../endpoints/responses/save-response.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'

export async function responseState(exchange: Exchange, next: Next): Promise<void> {
  const { workspaceId: workspace } = required(exchange.identity, 'identity')
  const { body, continued } = await loadHistory(exchange.body, workspace, exchange.runtime.responses)
  exchange.body = body
  exchange.continued = continued
  await next(exchange)
  exchange.answer = await saveResponse(exchange, required(exchange.answer, 'answer'))
}
