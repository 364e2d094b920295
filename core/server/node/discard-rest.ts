/**
 * Discards the rest of a refused request body, which keeps its connection usable. Node does so only for bodies that
 * were not read at all.
 */
import type { IncomingMessage } from 'node:http'

/** A caller that is still sending after this time is disconnected. */
const longestWaitMs = 10_000

/** Call this when the request is answered and its body was not read to its end. */
export function discardRest(req: IncomingMessage): void {
  if (req.destroyed) return
  const isUntouched = req.readableFlowing === null && !req.readableDidRead
  if (isUntouched) return
  // Reading may have stopped in the middle: a failed decoder is still attached.
  req.unpipe()
  req.removeAllListeners('readable')
  const timer = setTimeout(() => req.socket.destroy(), longestWaitMs)
  timer.unref()
  const done = () => clearTimeout(timer)
  req.once('end', done)
  req.once('close', done)
  // The listener makes Node consider the stream consumed.
  req.on('data', () => undefined).resume()
}
