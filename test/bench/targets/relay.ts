/**
 * The bare relay: what Node's own http module can forward at best when nothing is looked at. It reads the
 * body, sends it to the mock over a keep-alive agent and pipes the answer back.
 *
 * Arguments: the port on 127.0.0.1, the mock's port.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

const port = Number(process.argv[2])
const mockPort = Number(process.argv[3])
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 2048 })

function forward(inbound: IncomingMessage, outbound: ServerResponse, body: Buffer): void {
  const upstream = request(
    {
      host: '127.0.0.1',
      port: mockPort,
      method: 'POST',
      path: inbound.url,
      agent,
      headers: {
        'content-type': inbound.headers['content-type'] ?? 'application/json',
        'content-length': body.length,
        authorization: inbound.headers.authorization ?? '',
      },
    },
    (answer) => {
      outbound.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outbound)
    },
  )
  upstream.on('error', () => outbound.destroy())
  upstream.end(body)
}

createServer((inbound, outbound) => {
  if (inbound.method === 'GET') {
    outbound.end('ready')
    return
  }
  const pieces: Buffer[] = []
  inbound.on('data', (piece: Buffer) => pieces.push(piece))
  inbound.on('end', () => forward(inbound, outbound, Buffer.concat(pieces)))
}).listen(port, '127.0.0.1')
