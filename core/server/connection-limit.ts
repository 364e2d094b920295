/**
 * Limits the open connections of one address (`server.max_connections_per_address`). Connections beyond the limit are
 * closed as soon as they are accepted, because sending an answer would cost the resources that the limit saves. The
 * address is the peer's, because no header has been read yet. Trusted proxies, which many clients share, are therefore
 * exempt.
 */
import type { Server, Socket } from 'node:net'
import type { Settings } from '@gateway/flow'

type Rules = Pick<Settings, 'file' | 'isTrustedProxy'>

export interface ConnectionLimitOptions {
  /** The rules of the running config file. */
  rules(): Rules
  /** Called for each closed connection. */
  refused(): void
}

/**
 * Returns a function that limits a listener; all listeners of a process share one count. Connections are counted only
 * while a limit is set. Connections from before are neither counted nor closed.
 */
export function createConnectionLimit({ rules, refused }: ConnectionLimitOptions): (server: Server) => void {
  const open = new Map<string, number>()

  function admit(socket: Socket): void {
    const { file, isTrustedProxy } = rules()
    const most = file.server.max_connections_per_address
    const { remoteAddress: address } = socket
    if (most === null || address === undefined || isTrustedProxy(address)) return
    const count = open.get(address) ?? 0
    if (count >= most) {
      refused()
      socket.destroy()
      return
    }
    open.set(address, count + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
  }

  // Runs before the HTTP server's own listener, which would read from a connection that is already closed.
  return (server) => void server.prependListener('connection', admit)
}
