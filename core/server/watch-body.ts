/**
 * What koa-body does not do while it reads: it never hears that a connection was cut behind a decoder, and it counts
 * no bytes. Errors: `overloaded`; a plain error when the connection was closed within the body.
 */
import type { IncomingMessage } from 'node:http'
import type { RequestBuffers } from '../shared/buffer-budget.ts'

/** Shorter bodies come in one read or two: their length is taken from the header. */
const shortBytes = 65_536

/** Whether the connection ended before the body did. */
export const isCut = (req: IncomingMessage): boolean => req.destroyed && !req.complete

/** Starts reading, and counts what is read among the buffers of the request. */
export async function watchBody(
  req: IncomingMessage,
  buffers: RequestBuffers,
  read: () => Promise<unknown>,
): Promise<void> {
  const { 'content-length': length, 'content-encoding': coding } = req.headers
  if (coding === undefined && length !== undefined && Number(length) <= shortBytes) {
    buffers.hold(Number(length))
    await read()
    return
  }
  await watchLong(req, buffers, read())
}

async function watchLong(
  req: IncomingMessage,
  buffers: RequestBuffers,
  reading: Promise<unknown>,
): Promise<void> {
  let stop: (error: unknown) => void = () => undefined
  const stopped = new Promise<never>((_, reject) => {
    stop = reject
  })
  const onClose = () => {
    if (isCut(req)) stop(new Error('The connection was closed within the body.'))
  }
  const onData = (chunk: Buffer) => {
    try {
      buffers.hold(chunk.length)
    } catch (error) {
      stop(error)
    }
  }
  req.once('close', onClose)
  // Behind koa-body's own listener, which began the reading.
  req.on('data', onData)
  onClose()
  try {
    await Promise.race([reading, stopped])
  } finally {
    req.off('close', onClose)
    req.off('data', onData)
    // Whichever of the two comes too late is nobody's any more.
    reading.catch(() => undefined)
  }
}
