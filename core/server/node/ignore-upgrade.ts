/**
 * Serves a request with an unsupported upgrade as an ordinary one. A server that listens for upgrades gets every
 * request that asks for one, whatever the protocol (https://nodejs.org/api/http.html#event-upgrade), and Node stops
 * parsing after its head. The body is therefore passed on here, and the connection is closed after the answer.
 */
import { IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export function ignoreUpgrade(
  server: Pick<Server, 'emit'>,
  upgrade: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer },
): void {
  const request = withoutUpgrade(upgrade, socket as Socket)
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket)
  response.once('finish', () => socket.end())
  socket.once('error', () => socket.destroy())
  if (request.headers['transfer-encoding'] !== undefined) {
    response.writeHead(400).end()
    return
  }
  let left = Number(request.headers['content-length'] ?? 0)
  const take = (bytes: Buffer) => {
    const part = bytes.subarray(0, left)
    left -= part.length
    if (part.length > 0) request.push(part)
    if (left > 0) return
    socket.off('data', take)
    // Closing an incomplete message also closes its connection.
    request.complete = true
    request.push(null)
  }
  if (left > head.length) socket.on('data', take)
  take(head)
  server.emit('request', request, response)
}

/**
 * Copies the head to a message whose body is still to be read. For Node, the message of an upgrade ends with its head.
 */
function withoutUpgrade(upgrade: IncomingMessage, socket: Socket): IncomingMessage {
  const request = new IncomingMessage(socket)
  const { upgrade: _, ...headers } = upgrade.headers
  request.method = upgrade.method
  request.url = upgrade.url
  request.httpVersion = upgrade.httpVersion
  request.httpVersionMajor = upgrade.httpVersionMajor
  request.httpVersionMinor = upgrade.httpVersionMinor
  request.headers = headers
  request.rawHeaders = upgrade.rawHeaders
  return request
}
