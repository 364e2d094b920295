/**
 * Writes each chunk of a chunked response in one write. Node writes size, bytes and line ends separately, which costs
 * more than one copy. Node checks its `chunkedEncoding` property at each write, so framing can be turned off for the
 * chunks written here and turned on again for the last chunk, which Node writes.
 * https://www.rfc-editor.org/rfc/rfc9112#section-7.1
 */
import type { ServerResponse } from 'node:http'

export interface ChunkWriter {
  /** Returns false if the caller is slower than the stream; wait for `drain` then. */
  write(bytes: Buffer): boolean
  /** Ends the response. */
  end(): void
}

/** Takes over a response whose head has been written. */
export function createChunkWriter(res: ServerResponse): ChunkWriter {
  const { chunkedEncoding } = res
  res.chunkedEncoding = false
  return {
    write: (bytes) => res.write(chunkedEncoding ? frame(bytes) : bytes),
    end() {
      res.chunkedEncoding = chunkedEncoding
      res.end()
    },
  }
}

/** Writes nothing for zero bytes, because an empty chunk would end the body. */
function frame(bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes
  const size = `${bytes.length.toString(16)}\r\n`
  const framed = Buffer.allocUnsafe(size.length + bytes.length + 2)
  framed.write(size, 'latin1')
  framed.set(bytes, size.length)
  framed.write('\r\n', framed.length - 2, 'latin1')
  return framed
}
