/**
 * Stops a server from accepting connections but keeps idle ones open, because each should still receive `connection:
 * close`. Since Node 19, `http.Server.close` closes idle connections; the inherited `close` of `net.Server` does not.
 */
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** Resolves when the last connection is closed. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => {
      // Ends the timer that checks for late requests, which would keep the server and its gateway in memory.
      server.close()
      resolve()
    })
  })
}
