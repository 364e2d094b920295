/**
 * Loaded before the reference package, which cannot be configured to listen on one address: replaces all interfaces
 * with 127.0.0.1. It acts once, when the server begins to listen.
 */
import { Server } from 'node:net'

Server.prototype.listen = new Proxy(Server.prototype.listen, {
  apply(listen, server: Server, [port, host, ...rest]: unknown[]) {
    return Reflect.apply(listen, server, [port, host ?? '127.0.0.1', ...rest])
  },
})
