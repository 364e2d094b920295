/**
 * The state of `/v1/responses`: references of a request are resolved and compacted turns opened once, before any config
 * node sees the body; the answer is stored, and a summary sealed, as the caller receives it, after all checks. Errors:
 * 404 `not_found`; 503 `dependency_unavailable` when the state cannot be read.
 */
import { loadHistory, saveResponse, sealSummaries } from '../endpoints/index.ts'
import { type Answer, type Exchange, type Next, required } from '../flow/index.ts'

export async function responseState(exchange: Exchange, next: Next): Promise<void> {
  const { endpoint, identity, runtime } = exchange
  const { workspaceId: workspace } = required(identity, 'identity')
  const { responses: store, sealer } = runtime
  const { body, continued } = await loadHistory(exchange.body, { workspace, store, sealer })
  exchange.body = body
  exchange.continued = continued
  await next(exchange)
  const answer = required(exchange.answer, 'answer')
  exchange.answer =
    endpoint?.keepsResponses === true
      ? await saveResponse(exchange, answer)
      : withSealedSummaries(answer, workspace, sealer)
}

function withSealedSummaries(
  answer: Answer,
  workspace: string,
  sealer: Exchange['runtime']['sealer'],
): Answer {
  if (answer.body === null) return answer
  const body = sealSummaries(answer.body, workspace, sealer)
  return body === answer.body ? answer : { ...answer, body, text: null }
}
