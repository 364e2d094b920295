/**
 * The end of an answer: the unified finish reason, or the error of a failed generation, which arrives with status 200.
 * Reference: https://docs.cohere.com/reference/chat (`finish_reason`)
 * Errors: {@link UpstreamFault} for `ERROR` (502) and `TIMEOUT` (504).
 */
import { type Json, type UpstreamError, UpstreamFault } from '@gateway/contract'
import type { Finish, FinishReason } from '../../chat/answer.ts'
import { textOf } from '../../chat/values.ts'
import type { EndReason } from './types.ts'

type Failure = 'ERROR' | 'TIMEOUT'

const reasons: Record<Exclude<EndReason, Failure>, FinishReason> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
}

const failures: Record<Failure, Pick<UpstreamError, 'status' | 'message'>> = {
  ERROR: { status: 502, message: 'The provider failed while it generated the answer.' },
  TIMEOUT: { status: 504, message: 'The provider timed out while it generated the answer.' },
}

/** The finish reason of an answer. `error` is the vendor's message for a failure. */
export function readEnd(given: Json | undefined, error: Json | undefined): Finish {
  const named = textOf(given)
  if (isFailure(named)) {
    const { status, message } = failures[named]
    throw faultOf(status, textOf(error) || message, named.toLowerCase())
  }
  if (typeof error === 'string' && error !== '') throw faultOf(502, error, 'upstream_error')
  return { reason: isReason(named) ? reasons[named] : 'stop', given: named === '' ? undefined : named }
}

/** The fault in an event or in an answer with status 200. */
export function faultOf(status: number, message: string, code: string): UpstreamFault {
  return new UpstreamFault({ status, message, type: 'upstream_error', param: null, code })
}

const isFailure = (name: string): name is Failure => Object.hasOwn(failures, name)
const isReason = (name: string): name is keyof typeof reasons => Object.hasOwn(reasons, name)
