/**
 * Ends a response when its connection closes. If a caller pipelines requests, Node before version 24 emits `close` only
 * on the response that it is writing, and the responses queued behind it would never end. Here they end like the first
 * one: they are marked as destroyed and emit `close`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Returns a function to call when the response is closed. */
export function endWithConnection({ socket }: IncomingMessage, res: ServerResponse): () => void {
  const end = () => {
    if (res.destroyed) return
    res.destroyed = true
    res.emit('close')
  }
  socket.once('close', end)
  return () => socket.off('close', end)
}
