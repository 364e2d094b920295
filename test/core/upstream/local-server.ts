/** Servers on 127.0.0.1 for the tests of this folder; all are closed after each test. */

import type { LookupAddress } from 'node:dns'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, isIP, type Server, type Socket } from 'node:net'

export interface LocalServer {
  port: number
  origin: string
  /** Connections accepted so far. */
  connections(): number
}

export interface LocalServers {
  http(listener: RequestListener): Promise<LocalServer>
  tcp(listener: (socket: Socket) => void): Promise<LocalServer>
  closeAll(): Promise<void>
}

export function createLocalServers(): LocalServers {
  const servers: Server[] = []
  const sockets = new Set<Socket>()

  const open = async (server: Server): Promise<LocalServer> => {
    let connections = 0
    servers.push(server)
    server.on('connection', (socket: Socket) => {
      connections += 1
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => socket.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return { port, origin: `http://127.0.0.1:${port}`, connections: () => connections }
  }

  return {
    http: (listener) => open(createHttpServer(listener)),
    tcp: (listener) => open(createTcpServer(listener)),
    async closeAll() {
      for (const socket of sockets) socket.destroy()
      const closing = servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))
      await Promise.all(closing)
    },
  }
}

/** A port on 127.0.0.1 without a listener. */
export async function findClosedPort(): Promise<number> {
  const servers = createLocalServers()
  const { port } = await servers.tcp((socket) => socket.destroy())
  await servers.closeAll()
  return port
}

/** Resolves when the connection is closed, for any reason. */
export const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

/** An address in the form that a resolver returns. */
export const addressOf = (address = ''): LookupAddress => ({ address, family: isIP(address) })
