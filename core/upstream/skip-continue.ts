/**
 * Skips unsolicited `100 Continue` responses of upstreams. A client must accept them before the final response (RFC
 * 9110, section 15.2), but undici closes the connection. It reads a connection with `read()` and writes the head of a
 * request as a string, which is not documented; the agent's tests notice a change.
 */
import type { Socket } from 'node:net'

const interim = Buffer.from('HTTP/1.1 100')
const headEnd = Buffer.from('\r\n\r\n')
/** A longer interim response is left to the parser, which refuses it. */
const maxHeadBytes = 16_384
const requestHead = /^[A-Z]+ \S/

/** Whether bytes are the beginning of an interim response. */
function isInterim(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, interim.length)
  return bytes.compare(interim, 0, length, 0, length) === 0
}

/** The bytes after all complete interim responses. */
function afterInterim(bytes: Buffer): Buffer {
  let rest = bytes
  while (rest.length >= interim.length && isInterim(rest)) {
    const end = rest.indexOf(headEnd)
    if (end === -1) break
    rest = rest.subarray(end + headEnd.length)
  }
  return rest
}

const mayBeInterim = (bytes: Buffer): boolean => isInterim(bytes) && bytes.length <= maxHeadBytes

/** Makes a connection of undici skip interim responses. */
export function skipContinue<Connection extends Socket>(socket: Connection): Connection {
  const read = socket.read.bind(socket)
  const { write } = socket
  /** A request was sent, and its final response has not begun. */
  let isAwaiting = false
  let held: Buffer | null = null

  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size) as Buffer | null
      if (!isAwaiting || chunk === null) return chunk
      const rest = afterInterim(held === null ? chunk : Buffer.concat([held, chunk]))
      held = rest
      if (mayBeInterim(rest)) continue
      isAwaiting = false
      held = null
      return rest
    }
  }
  socket.write = (...args: unknown[]): boolean => {
    const [chunk] = args
    if (typeof chunk === 'string' && requestHead.test(chunk)) isAwaiting = true
    return Reflect.apply(write, socket, args)
  }
  return socket
}
