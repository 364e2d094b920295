/**
 * Ends a response when its connection closes. When a caller pipelines requests, Node before version 24 emits `close` only on the
 * response that it is writing; the responses queued behind it would never end. They are ended in the same way: marked
 * as destroyed, with a `close` event.
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
