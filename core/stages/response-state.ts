/**
 * The state of `/v1/responses`: references of a request are resolved and compacted turns opened once, before any config
 * node sees the body; the answer is stored, and a summary sealed, as the caller receives it, after all checks. Errors:
 * 404 `not_found`; 503 `dependency_unavailable` when the state cannot be read.
 */
import type { JsonObject } from '@gateway/contract'
import {
  asksForCompaction,
  loadHistory,
  saveResponse,
  sealStream,
  sealSummaries,
} from '../endpoints/index.ts'
import type { Answer, Next, Ports, Resolved } from '../flow/index.ts'

export async function responseState(
  exchange: Resolved,
  next: Next<Resolved>,
  ports: Ports<'log' | 'metrics' | 'sealer'>,
): Promise<Answer> {
  const { endpoint, identity, stores } = exchange
  const { workspaceId: workspace } = identity
  const { sealer } = ports
  const store = stores.responses
  const { body, continued } = await loadHistory(exchange.body, { workspace, store, sealer })
  exchange.body = body
  exchange.continued = continued
  const answer = withSealedSummaries(await next(exchange), body, (given) =>
    sealSummaries(given, workspace, sealer),
  )
  return endpoint.keepsResponses ? saveResponse(ports, exchange, answer) : answer
}

function withSealedSummaries(
  answer: Answer,
  asked: JsonObject,
  seal: (body: JsonObject) => JsonObject,
): Answer {
  if (answer.stream !== null)
    return asksForCompaction(asked) ? { ...answer, stream: sealStream(answer.stream, seal) } : answer
  if (answer.body === null) return answer
  const body = seal(answer.body)
  return body === answer.body ? answer : { ...answer, body, text: null }
}
