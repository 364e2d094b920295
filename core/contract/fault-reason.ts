/** The reason of a failure as a text for the gateway's log: codes and names, never values or secrets. */
import { isGatewayError } from './errors.ts'

/** The message of an error, with its cause where a store reports one. */
export function faultReason(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  // An older copy of this package has no such member.
  const fault = isGatewayError(error) ? (error.storeFault ?? null) : null
  return fault === null ? error.message : `${error.message} (${fault})`
}

/** The code and message of a failed system call, such as `ENOSPC: no space left on device, write`. Null for other errors. */
export function systemReason(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  const code = String(error.code)
  return error.message.includes(code) ? error.message : `${code}: ${error.message}`
}
