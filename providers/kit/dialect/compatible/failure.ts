/**
 * Failures that a compatible provider tells of in an answer with status 200: an error in the answer's place, or a
 * code of its own beside it. Errors: {@link UpstreamFault}.
 */
import { isObject, type JsonObject, UpstreamFault } from '@gateway/contract'
import { compatibleFault } from './errors.ts'

export interface FailureRules {
  /** Where every answer and chunk says whether it is one. */
  failure?: {
    /** The member that holds the code and the message. */
    in: string
    code: string
    message: string
    /** The code of an answer that is one. */
    success: number
    /** HTTP status of a code; of any other 502. */
    statuses: Readonly<Record<number, number>>
  }
}

/** Throws what an answer (or a chunk) tells went wrong. */
export function throwFailure(body: JsonObject, { failure }: FailureRules): void {
  const fault = body.choices === undefined || body.choices === null ? compatibleFault(body) : null
  if (fault !== null) throw fault
  const told = failure === undefined ? undefined : body[failure.in]
  if (failure === undefined || !isObject(told)) return
  const code = told[failure.code]
  if (typeof code !== 'number' || code === failure.success) return
  const message = told[failure.message]
  throw new UpstreamFault({
    status: failure.statuses[code] ?? 502,
    message: typeof message === 'string' && message !== '' ? message : `The provider answered code ${code}.`,
    type: 'upstream_error',
    param: null,
    code: String(code),
  })
}
