/**
 * Answers invalid HTTP requests: headers that are too large, malformed lines, stalled bodies. Node would send an empty
 * answer; clients get the gateway's error format instead.
 */
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { responseInProgress } from './node/response-in-progress.ts'

interface Row {
  status: number
  type: string
  code: string
  message: string
}

const unreadable: Row = {
  status: 400,
  type: 'invalid_request_error',
  code: 'invalid_header',
  message: 'The request is not valid HTTP.',
}

/** https://nodejs.org/api/http.html#event-clienterror */
const rows: Readonly<Record<string, Row>> = {
  HPE_HEADER_OVERFLOW: {
    ...unreadable,
    status: 431,
    message: 'The headers are too large; save a large config and send its id.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { ...unreadable, status: 413, code: 'body_too_large' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    type: 'timeout_error',
    code: 'request_timeout',
    message: 'The request did not arrive in time.',
  },
}

const noHost: Row = { ...unreadable, message: 'The request has no host header.' }
const expectsMore: Row = { ...unreadable, status: 417, message: 'Only 100-continue can be expected.' }

/** Errors that Node would answer without a body. */
export function answerWhatNodeRefuses(server: Server): void {
  server.on('checkExpectation', (_request, response) => refuse(response, expectsMore))
}

/** Answers a request that must have a `host` header and has none. */
export const refuseWithoutHost = (response: ServerResponse): void => refuse(response, noHost)

function refuse(response: ServerResponse, row: Row): void {
  const body = bodyOf(row)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(row.status, { ...headers, connection: 'close' }).end(body)
}

const bodyOf = ({ message, type, code }: Row) =>
  JSON.stringify({ error: { message, type, param: null, code } })

/** Answers on the connection itself and closes it. If an answer has already begun, only closes it. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const running = responseInProgress(socket)
  if (!socket.writable || running?.headersSent === true || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const row = rows[error.code ?? ''] ?? unreadable
  const { status } = row
  const body = bodyOf(row)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
