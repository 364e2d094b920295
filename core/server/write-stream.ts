/** Writes a stream to the caller, at the caller's pace, to its last byte. */
import type { ServerResponse } from 'node:http'
import type { AnswerStream } from '../flow/answer.ts'
import type { StreamEnding } from '../flow/exchange.ts'

/** Waits for a slow caller; stops reading when the caller is gone. The head is written already. */
export async function pump(
  res: ServerResponse,
  stream: AnswerStream,
  ending: StreamEnding,
  cut: () => void,
): Promise<void> {
  // Node would write each chunk in four pieces; a copy in one costs less. The last chunk is Node's again.
  const { chunkedEncoding } = res
  res.chunkedEncoding = false
  const write = (bytes: Buffer): boolean => res.write(chunkedEncoding ? frame(bytes) : bytes)
  try {
    for (;;) {
      const step = await stream.next()
      if (step.done === true) break
      ending.sent(step.value)
      if (!write(step.value)) await writable(res)
      if (res.destroyed) {
        await stream.return?.()
        return
      }
    }
    if (ending.trailer !== null) write(ending.trailer)
  } catch (error) {
    if (res.destroyed) return
    const last = ending.failed(error)
    if (last === null) return cut()
    write(last)
  }
  res.chunkedEncoding = chunkedEncoding
  res.end()
}

/**
 * A chunk of a chunked body; nothing for no bytes, which would end it.
 * https://www.rfc-editor.org/rfc/rfc9112#section-7.1
 */
function frame(bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes
  const size = `${bytes.length.toString(16)}\r\n`
  const framed = Buffer.allocUnsafe(size.length + bytes.length + 2)
  framed.write(size, 'latin1')
  framed.set(bytes, size.length)
  framed.write('\r\n', framed.length - 2, 'latin1')
  return framed
}

/** Resolves when the caller has read what was written, or is gone. */
function writable(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done)
      res.off('close', done)
      resolve()
    }
    res.once('drain', done)
    res.once('close', done)
    if (res.destroyed) done()
  })
}
