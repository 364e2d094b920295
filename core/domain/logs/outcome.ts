/** How a logged request ended, from its status and its error code: a stream can fail after a good status. */
import type { LogFields } from '@gateway/contract'

/** `left`: the caller disconnected. */
export type LogOutcome = 'success' | 'error' | 'denied' | 'left'

export function logOutcome(
  fields: Partial<Pick<LogFields, 'response_status_code' | 'error_code'>>,
): LogOutcome {
  const { response_status_code: status = null, error_code: code = null } = fields
  if (status === 446 || code === 'guardrail_denied') return 'denied'
  if (status === 499 || code === 'client_closed_request') return 'left'
  return status === null || status < 200 || status > 299 || code !== null ? 'error' : 'success'
}
