/**
 * A WebSocket as a sequence of messages, with backpressure in both directions: reading pauses while too many of the
 * peer's messages are queued, and a message is sent only after the previous one.
 */
import type { WebSocket } from 'ws'
import { closeCodes, isSendable } from './session-closed.ts'

/** The code and reason with which the peer closed. */
interface PeerClose {
  /** The close code: 1005 if the peer sent none, 1006 for a broken connection. */
  code: number
  reason: string
}

export interface SocketMessages {
  /** The next message; null when the peer has disconnected. */
  next(): Promise<string | null>
  /** The code and reason with which the peer closed; null while it is connected. */
  closing(): PeerClose | null
  /** Resolves when the operating system has accepted it, or when the peer has disconnected. */
  send(text: string): Promise<void>
  /** Closes with the code, or without a code for 1005; breaks the connection if the code cannot be sent. */
  close(code: number, reason: string): void
}

/** Bytes of unread messages. */
const maxWaitingChars = 4_000_000
/** How long to wait for the peer to close its end. */
const closeMs = 2000

export function socketMessages(socket: WebSocket): SocketMessages {
  const waiting: string[] = []
  let waitingChars = 0
  let closed: PeerClose | null =
    socket.readyState === socket.CLOSED ? { code: closeCodes.broken, reason: '' } : null
  let wake: () => void = () => undefined

  socket.on('message', (data: Buffer) => {
    const text = data.toString('utf8')
    waiting.push(text)
    waitingChars += text.length
    if (waitingChars > maxWaitingChars) socket.pause()
    wake()
  })
  const end = (code: number, reason: string) => {
    closed ??= { code, reason }
    wake()
  }
  socket.on('close', (code: number, reason: Buffer) => end(code, reason.toString('utf8')))
  socket.on('error', () => end(closeCodes.broken, ''))

  return {
    async next() {
      while (waiting.length === 0 && closed === null) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const text = waiting.shift() ?? null
      waitingChars -= text?.length ?? 0
      if (socket.isPaused && waitingChars <= maxWaitingChars) socket.resume()
      return text
    },
    closing: () => closed,
    send: (text) =>
      new Promise((resolve) => {
        if (socket.readyState !== socket.OPEN) resolve()
        else socket.send(text, () => resolve())
      }),
    close(code, reason) {
      // A paused socket would not receive the peer's close.
      if (socket.isPaused) socket.resume()
      if (code === closeCodes.none) socket.close()
      else if (isSendable(code)) socket.close(code, reason)
      else socket.terminate()
      setTimeout(() => socket.terminate(), closeMs).unref()
    },
  }
}
