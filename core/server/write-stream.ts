/** Writes a stream to the caller, at the caller's pace, to its last byte. */
import type { ServerResponse } from 'node:http'
import type { AnswerStream } from '../flow/answer.ts'
import type { StreamEnding } from '../flow/exchange.ts'
import { createChunkWriter } from './node/chunk-writer.ts'

/** Waits for a slow caller; stops reading when the caller is gone. The head is written already. */
export async function writeStream(
  res: ServerResponse,
  stream: AnswerStream,
  ending: StreamEnding,
  cut: () => void,
): Promise<void> {
  const { write, end } = createChunkWriter(res)
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
  end()
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
