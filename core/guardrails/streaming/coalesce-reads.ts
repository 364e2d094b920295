/** Reads of a stream put together until there may be enough text in them to look for, so that they are read at once. */
import type { AnswerStream } from '../../flow/answer.ts'

export interface Wanted {
  /** The text that is worth a look, in UTF-16 units. */
  missingChars(): number
  /** What most events have beside their text, at the least. */
  aroundBytes(): number
}

/** However little text they seem to hold: other events may have less beside it. */
const maxReads = 64
const maxBytes = 65_536

/** Gives whole events, as the stream does. Asks anew for what is wanted after each look. */
export async function* coalesceReads(
  stream: AnswerStream,
  wanted: Wanted,
): AsyncGenerator<Buffer, void, undefined> {
  let reads: Buffer[] = []
  let sizeBytes = 0
  let textBytes = 0
  for await (const read of stream) {
    reads.push(read)
    sizeBytes += read.length
    textBytes += Math.max(read.length - wanted.aroundBytes(), 0)
    if (textBytes < wanted.missingChars() && reads.length < maxReads && sizeBytes < maxBytes) continue
    yield reads.length === 1 ? read : Buffer.concat(reads, sizeBytes)
    reads = []
    sizeBytes = 0
    textBytes = 0
  }
  if (reads.length > 0) yield Buffer.concat(reads, sizeBytes)
}
