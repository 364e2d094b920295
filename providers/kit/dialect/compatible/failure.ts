/**
 * Failures that a compatible provider reports in an answer with status 200: an error instead of the answer, or its
 * own code in addition to it.
 * Errors: {@link UpstreamFault}.
 */
import { isObject, type JsonObject, UpstreamFault } from '@gateway/contract'
import { compatibleFault } from './errors.ts'

export interface FailureRules {
  /** Describes how an answer or chunk reports a failure. */
  failure?: {
    /** The member with the code and the message. */
    in: string
    code: string
    message: string
    /** The code of a successful answer. */
    success: number
    /** HTTP status per code; 502 for other codes. */
    statuses: Readonly<Record<number, number>>
  }
}

/** Throws the failure reported in an answer or a chunk. */
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
