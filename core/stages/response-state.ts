/**
 * Resolves a request's references to stored responses, and opens sealed summaries, before any config node sees the body.
 * After all checks, it seals the summary in the answer and stores the answer. Errors: 400 `invalid_body` for a summary
 * that cannot be opened; 404 `previous_response_not_found`; 503 `dependency_unavailable` if the state cannot be read.
 */
import type { JsonObject } from '@gateway/contract'
import type { ResponseState, StateSeal } from '@gateway/contract/dialect'
import { type Answer, changeInput, type Next, type Ports, type Resolved } from '@gateway/flow'
import { mapStream } from '@gateway/streaming'
import { saveResponse } from '../endpoints/index.ts'

export async function responseState(
  exchange: Resolved,
  next: Next<Resolved>,
  ports: Ports<'log' | 'metrics' | 'sealer'>,
): Promise<Answer> {
  const state = exchange.endpoint.responses
  if (state === null) return next(exchange)
  const seal: StateSeal = { workspace: exchange.caller.identity.workspaceId, sealer: ports.sealer }
  const { body, continued } = await state.recall(exchange.input.body, {
    ...seal,
    store: exchange.request.stores.responses,
  })
  changeInput(exchange, { body, continued })
  const answer = sealed(await next(exchange), state, { asked: body, seal })
  const { keeps } = state
  return keeps === null ? answer : saveResponse(ports, { exchange, keeps }, answer)
}

function sealed(
  answer: Answer,
  state: ResponseState,
  { asked, seal }: { asked: JsonObject; seal: StateSeal },
): Answer {
  if (answer.stream !== null) {
    const sealEvents = state.sealEvents(asked, seal)
    return sealEvents === null ? answer : { ...answer, stream: mapStream(answer.stream, sealEvents) }
  }
  if (answer.body === null) return answer
  const body = state.seal(answer.body, seal)
  return body === answer.body ? answer : { ...answer, body, text: null }
}
