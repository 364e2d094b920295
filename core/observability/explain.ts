/** The decision trace in an answer, for who asks with `x-gateway-explain`. Errors: 403 `missing_scope`. */
import { GatewayError, isObject, parseJson } from '@gateway/contract'
import { type Answer, statusOf } from '../flow/answer.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import { decisionsOf, recordEnd } from './log-entry.ts'

/** What the caller must be allowed to see. */
const scope = 'logs.view'

/** Refuses a caller who asks for the trace without the right to see log entries. */
export function checkExplain({ identity, ledger }: Exchange): void {
  const { scopes } = required(identity, 'identity')
  if (!scopes.has('*') && !scopes.has(scope)) {
    const message = `x-gateway-explain needs the scope ${scope}, which this key lacks.`
    throw new GatewayError('missing_scope', message, { param: scope })
  }
  ledger.isExplained = true
}

/** The answer with the trace beside its body or its error. @param cents what the request cost */
export function explained(exchange: Exchange, answer: Answer, cents: number): Answer {
  if (answer.stream !== null || answer.contentType !== null) return answer
  // A stored answer is a text that nobody has read.
  const body = answer.body ?? parseJson(answer.text ?? '')
  if (!isObject(body)) return answer
  recordEnd(exchange, statusOf(answer), cents)
  return { ...answer, text: null, body: { ...body, ...decisionsOf(exchange) } }
}
