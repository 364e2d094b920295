/** Adds the decision trace to an answer if the request has `x-gateway-explain`. Errors: 403 `missing_scope`. */
import { GatewayError, isObject, parseJson } from '@gateway/contract'
import { type Answer, type Authenticated, type Received, statusOf } from '@gateway/flow'
import { decisionsOf, recordEnd } from './log-entry.ts'

/** The scope that a caller of the trace needs. */
const scope = 'logs.view'

/** Refuses callers who request the trace but may not see log entries. */
export function checkExplain({ caller: { identity }, request: { ledger } }: Authenticated): void {
  const { scopes } = identity
  if (!scopes.has('*') && !scopes.has(scope)) {
    const message = `x-gateway-explain needs the scope ${scope}, which this key lacks.`
    throw new GatewayError('missing_scope', message, { param: scope })
  }
  ledger.isExplained = true
}

/** Returns the answer with the trace in its body or error. @param cents the cost of the request */
export function explained(exchange: Received, answer: Answer, cents: number): Answer {
  if (answer.stream !== null || answer.contentType !== null) return answer
  // The body of a cached answer is still unparsed text.
  const body = answer.body ?? parseJson(answer.text ?? '')
  if (!isObject(body)) return answer
  recordEnd(exchange, { status: statusOf(answer), path: answer.index, cents })
  return { ...answer, text: null, body: { ...body, ...decisionsOf(exchange) } }
}
