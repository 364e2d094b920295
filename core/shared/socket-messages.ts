/**
 * A WebSocket as a sequence of messages, with backpressure in both directions: reading pauses while too many of the
 * peer's messages are queued, and a message is sent only after the previous one.
 */
import type { WebSocket } from 'ws'

export interface SocketMessages {
  /** The next message; null when the peer has disconnected. */
  next(): Promise<string | null>
  /** Resolves when the operating system has accepted it, or when the peer has disconnected. */
  send(text: string): Promise<void>
  close(code: number, reason: string): void
}

/** Bytes of unread messages. */
const maxWaitingChars = 4_000_000
/** How long to wait for the peer to close its end. */
const closeMs = 2000

export function socketMessages(socket: WebSocket): SocketMessages {
  const waiting: string[] = []
  let waitingChars = 0
  let isOver = socket.readyState === socket.CLOSED
  let wake: () => void = () => undefined

  socket.on('message', (data: Buffer) => {
    const text = data.toString('utf8')
    waiting.push(text)
    waitingChars += text.length
    if (waitingChars > maxWaitingChars) socket.pause()
    wake()
  })
  const end = () => {
    isOver = true
    wake()
  }
  socket.on('close', end)
  socket.on('error', end)

  return {
    async next() {
      while (waiting.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const text = waiting.shift() ?? null
      waitingChars -= text?.length ?? 0
      if (socket.isPaused && waitingChars <= maxWaitingChars) socket.resume()
      return text
    },
    send: (text) =>
      new Promise((resolve) => {
        if (socket.readyState !== socket.OPEN) resolve()
        else socket.send(text, () => resolve())
      }),
    close(code, reason) {
      // A paused socket would not receive the peer's close.
      if (socket.isPaused) socket.resume()
      socket.close(code, reason)
      setTimeout(() => socket.terminate(), closeMs).unref()
    },
  }
}
