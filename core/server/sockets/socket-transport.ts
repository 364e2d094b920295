/**
 * The {@link Transport} of a request that asks for a WebSocket. It has no body. A refusal is an ordinary answer; a
 * streamed answer opens the connection and is sent as messages.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { GatewayError, isGatewayError, renderError } from '@gateway/contract'
import type {
  AnswerHead,
  AnswerStream,
  Cancellation,
  Canceller,
  ClientSession,
  RequestBuffers,
  StreamEnding,
  Transport,
} from '@gateway/flow'
import { closeCodes, isSendable, SessionClosed, type SocketMessages, socketMessages } from '@gateway/upstream'
import { type WebSocket, WebSocketServer } from 'ws'

export interface Upgrading {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  /** Called when the WebSocket is open. From then on, the close of the WebSocket counts instead of the connection's. */
  opened(): void
  /** Fires when the gateway stops. */
  stopping: Cancellation
}

interface SocketTransportOptions extends Upgrading {
  buffers: RequestBuffers
  leaving: Canceller
  /** The caller's address. */
  clientIp: string
}

/** Enough for the audio of one event. */
const maxMessageBytes = 16 * 1_048_576

/** The subprotocol in which a web page sends a key, because it cannot set headers. */
const browserKey = /^[a-z]+-insecure-api-key\.(.+)$/

const sockets = new WebSocketServer({
  noServer: true,
  maxPayload: maxMessageBytes,
  perMessageDeflate: false,
  // A subprotocol that contains a key is never sent back.
  handleProtocols: (offered) => (offered.has('realtime') ? 'realtime' : false),
})

/**
 * Opens the connection. Errors: `client_closed_request` if the client has disconnected or its handshake is invalid.
 * @param headers headers of the opening answer
 */
export function openClient(
  { request, socket, head, opened: isOpen }: Upgrading,
  headers: Readonly<Record<string, string>>,
): Promise<{ messages: SocketMessages; socket: WebSocket }> {
  return new Promise((resolve, reject) => {
    const fail = () => {
      sockets.off('headers', add)
      reject(new GatewayError('client_closed_request', 'The client disconnected.'))
    }
    const add = (lines: string[], of: IncomingMessage) => {
      if (of !== request) return
      sockets.off('headers', add)
      for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    }
    if (socket.destroyed) return fail()
    socket.once('close', fail)
    sockets.on('headers', add)
    sockets.handleUpgrade(request, socket, head, (opened) => {
      socket.off('close', fail)
      isOpen()
      resolve({ messages: socketMessages(opened), socket: opened })
    })
  })
}

/** The headers that authentication may read: without cookies, because pages of any origin can open WebSockets. */
export function headersOf({ headers }: IncomingMessage): Transport['headers'] {
  const { cookie: _, ...rest } = headers
  const offered = String(headers['sec-websocket-protocol'] ?? '').split(',')
  const key = offered.map((one) => browserKey.exec(one.trim())?.[1]).find((one) => one !== undefined)
  return key === undefined || rest.authorization !== undefined
    ? rest
    : { ...rest, authorization: `Bearer ${key}` }
}

export class SocketTransport implements Transport {
  readonly method = 'GET'
  readonly path: string
  readonly search: string
  readonly headers: Transport['headers']
  readonly caller = null
  readonly origin = null
  readonly prompt = null
  readonly clientIp: string
  readonly buffers: RequestBuffers
  readonly session: ClientSession
  private readonly given: SocketTransportOptions
  private opened: SocketMessages | null = null
  private hasOpened: () => void = () => undefined
  private isBrokenOff = false

  constructor(given: SocketTransportOptions) {
    const url = given.request.url ?? '/'
    const at = url.indexOf('?')
    this.given = given
    this.path = at === -1 ? url : url.slice(0, at)
    this.search = at === -1 ? '' : url.slice(at)
    this.headers = headersOf(given.request)
    this.clientIp = given.clientIp
    this.buffers = given.buffers
    const open = new Promise<void>((resolve) => {
      this.hasOpened = resolve
    })
    this.session = {
      next: async () => {
        await open
        return this.opened?.next() ?? null
      },
      send: async (text) => {
        await open
        await this.opened?.send(text)
      },
      closeCode: () => this.opened?.closing()?.code ?? null,
      stopping: given.stopping,
    }
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.search)
  }

  readJson(): Promise<never> {
    return Promise.reject(new GatewayError('invalid_json', 'The body is empty.', { param: '/' }))
  }

  async readBytes(): Promise<Buffer> {
    return Buffer.alloc(0)
  }

  async *readChunks(): AsyncGenerator<Buffer> {
    // A request that asks for a WebSocket has no body.
  }

  streamBody(): AsyncIterable<Buffer> {
    return this.readChunks()
  }

  isClosed(): boolean {
    return this.given.leaving.aborted && !this.isBrokenOff
  }

  write({ status, headers }: AnswerHead, body: string): void {
    refuse(this.given.socket, status, { headers, body })
  }

  async writeStream({ headers }: AnswerHead, stream: AnswerStream, ending: StreamEnding): Promise<void> {
    const { 'content-type': _, 'transfer-encoding': __, connection: ___, ...own } = headers
    const { messages, socket } = await openClient(this.given, own)
    this.opened = messages
    const { leaving, stopping } = this.given
    socket.once('close', (code: number) => {
      if (this.isBrokenOff) return
      leaving.abort(new SessionClosed('client_closed_request', 'The client disconnected.', code))
    })
    this.hasOpened()
    try {
      for await (const bytes of stream) {
        await messages.send(bytes.toString('utf8'))
        ending.sent(bytes)
      }
      this.isBrokenOff = true
      messages.close(stopping.aborted ? closeCodes.goingAway : closeCodes.normal, '')
    } catch (error) {
      if (messages.closing() !== null) return
      this.isBrokenOff = true
      ending.failed(error)
      await messages.send(JSON.stringify(failureEvent(error)))
      messages.close(failureCode(error), 'the session ended')
    }
  }
}

/** The WebSocket close code for an error: the provider's own one if it may be sent. */
function failureCode(error: unknown): number {
  if (error instanceof SessionClosed)
    return isSendable(error.closeCode) ? error.closeCode : closeCodes.internal
  return isGatewayError(error) && error.status < 500 ? closeCodes.policy : closeCodes.internal
}

/** Writes the error in the provider's format of session errors. */
function failureEvent(error: unknown): object {
  const fault = isGatewayError(error) ? error : new GatewayError('upstream_error', 'The session failed.')
  const event_id = `event_${crypto.randomUUID().replaceAll('-', '')}`
  return { type: 'error', event_id, ...renderError(fault) }
}

/** Sends an ordinary answer and closes the connection. */
export function refuse(
  socket: Duplex,
  status: number,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
): void {
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, ' ')}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}
