/**
 * Discards the rest of a refused request body, so that its connection can be reused. Node does so only for bodies that
 * were not read at all.
 */
import type { IncomingMessage } from 'node:http'

/** A caller that is still sending after this loses its connection. */
const longestWaitMs = 10_000

/** Call it when the request is answered and its body was not read to its end. */
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
  // A listener, so that Node considers the stream consumed.
  req.on('data', () => undefined).resume()
}
