/** A plain node:http server on loopback, and a connection to it that sends bytes unchanged. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export interface RawServer {
  server: Server
  socket: Socket
  /** Everything that has been received so far. */
  received(): string
  close(): void
}

export async function openRawServer(listener: RequestListener): Promise<RawServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  return {
    server,
    socket,
    received: () => text,
    close() {
      socket.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}

export const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: test\r\n\r\n`
