/** The message for an operator when the gateway does not start. */
import { faultReason, isGatewayError } from '@gateway/contract'
import { StartError } from './open-gateway.ts'

/** Null for internal errors. A missing file, an unknown host name or an address in use is for the operator to fix. */
export function describeStartError(error: unknown): string | null {
  if (error instanceof StartError || isGatewayError(error)) return faultReason(error)
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  // A worker's port is bound by its primary.
  if (error.syscall !== 'listen' && error.syscall !== 'bind')
    return `The gateway cannot start: ${error.message}.`
  const { address, port } = error as { address?: string; port?: number }
  return `The gateway cannot listen on ${address}, port ${port}: ${reasons[String(error.code)] ?? error.code}.`
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'no permission to use the port',
}
