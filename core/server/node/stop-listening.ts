/**
 * Stops a server from accepting connections and keeps the idle ones: each must still receive `connection: close`. Since
 * Node 19 `http.Server.close` cuts idle connections; `close` of `net.Server`, which it inherits, does not.
 */
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** Resolves when the last connection is closed. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => resolve())
  })
}
