/**
 * Reads what is left of a request body that was refused, so that its connection can serve the next request.
 * Node does that by itself only for bodies that nobody began to read.
 */
import type { IncomingMessage } from 'node:http'

/** A caller that is still sending after this loses its connection. */
const longestWaitMs = 10_000

/** Call it when the request is answered and its body was not read to its end. */
export function discardRest(req: IncomingMessage): void {
  if (req.destroyed) return
  const isUntouched = req.readableFlowing === null && !req.readableDidRead
  if (isUntouched) return
  // Whoever began to read may have stopped in the middle: a decoder that failed is still attached.
  req.unpipe()
  req.removeAllListeners('readable')
  const timer = setTimeout(() => req.socket.destroy(), longestWaitMs)
  timer.unref()
  const done = () => clearTimeout(timer)
  req.once('end', done)
  req.once('close', done)
  // A listener, so that node does not take the stream for one that nobody reads.
  req.on('data', () => undefined).resume()
}
