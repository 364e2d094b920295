/** The message for an operator when the gateway cannot start. */
import { faultReason, isGatewayError } from '@gateway/contract'
import { StartError } from './open-gateway.ts'

/** Null for internal errors. The operator can fix a missing file, an unknown host name or an address in use. */
export function describeStartError(error: unknown): string | null {
  if (error instanceof StartError || isGatewayError(error)) return faultReason(error)
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  // A worker's port is bound by its primary.
  const { address, port, path } = error as { address?: string; port?: number; path?: string }
  if (error.syscall === 'getaddrinfo' && 'hostname' in error)
    return `The gateway cannot listen on ${error.hostname}: it is neither an address nor a known host name. Choose another one with --host.`
  if (error.syscall !== 'listen' && error.syscall !== 'bind') {
    const reason = fileReasons[String(error.code)]
    if (path === undefined || reason === undefined) return `The gateway cannot start: ${error.message}.`
    return `The gateway cannot start: ${path} ${reason}. GATEWAY_DATA_DIR sets the data folder.`
  }
  const place = port === undefined ? address : `${address}, port ${port}`
  return `The gateway cannot listen on ${place}: ${reasons[String(error.code)] ?? error.code}.`
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is already in use. Stop the other program, or choose another port with --port',
  EADDRNOTAVAIL:
    'this machine does not have that address. Choose another one with --host, such as 127.0.0.1 or 0.0.0.0',
  EACCES: 'no permission. Choose a port above 1023 with --port',
}

const fileReasons: Readonly<Record<string, string>> = {
  EACCES:
    'is not accessible for the user that runs the gateway: change its permissions, or use another folder',
  EPERM:
    'may not be changed by the user that runs the gateway: change its permissions, or use another folder',
  EROFS: 'is on a read-only file system: mount it writable, or use another folder',
  EEXIST: 'is a file where a folder is needed: use another folder',
  ENOTDIR: 'is below a file where a folder is needed: use another folder',
  ENOSPC: 'cannot be written, because the disk is full',
}
