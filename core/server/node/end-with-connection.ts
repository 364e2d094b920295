/**
 * Ends a response when its connection closes. When a caller pipelines requests, Node emits `close` on the response that
 * it is writing only: those that wait behind it would never end. Marking them destroyed, as Node marks the first one,
 * and emitting `close` ends them as well.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Returns what to call when the response is closed. */
export function endWithConnection({ socket }: IncomingMessage, res: ServerResponse): () => void {
  const end = () => {
    if (res.destroyed) return
    res.destroyed = true
    res.emit('close')
  }
  socket.once('close', end)
  return () => socket.off('close', end)
}
