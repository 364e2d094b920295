/** A request exactly as written: headers that `fetch` would not send, bodies in any encoding, lines that are no HTTP. */
import { request } from 'node:http'
import { connect } from 'node:net'

export interface RawReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export interface RawRequest {
  method?: string
  path?: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

export function askRaw(origin: string, asked: RawRequest = {}): Promise<RawReply> {
  const { method = 'GET', path = '/', headers = {}, body } = asked
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Sends these bytes and reads to the end of the connection. */
export function sendBytes(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}
