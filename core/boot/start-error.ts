/** What to tell an operator whose gateway does not start. */
import { isGatewayError } from '@gateway/contract'
import { StartError } from './open-gateway.ts'

/** Null for what is a fault of the gateway's own. A file, a name or an address that is not to be had is the operator's to mend. */
export function describeStartError(error: unknown): string | null {
  if (error instanceof StartError || isGatewayError(error)) return error.message
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  // A worker's port is bound by its primary.
  if (error.syscall !== 'listen' && error.syscall !== 'bind')
    return `The gateway cannot start: ${error.message}.`
  const { address, port } = error as { address?: string; port?: number }
  return `The gateway cannot listen on ${address}, port ${port}: ${reasons[String(error.code)] ?? error.code}.`
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'this user may not use the port',
}
