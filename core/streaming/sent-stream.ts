/**
 * The beginning of a sent stream, kept for the log until the stream ends, which takes as long as its client reads. What
 * exceeds a block is deflated: events repeat most of their bytes, so that a client that does not read costs a tenth.
 */
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Json } from '@gateway/contract'
import { markOfMedia } from '../domain/index.ts'
import type { SentStream } from '../flow/ledger.ts'
import type { StreamFormat } from '../flow/stream-format.ts'
import { readSentEvents } from './read-sent.ts'

/** Most streams are shorter, and are never deflated. */
const blockBytes = 65_536
/** The fastest level: the others are hardly better for events. */
const level = 1

/** @param maxBytes what follows is not kept */
export function keepSentEvents(format: StreamFormat, maxBytes: number): SentStream {
  const deflated: Buffer[] = []
  let block: Buffer[] = []
  let inBlock = 0
  let room = maxBytes
  return {
    add(bytes) {
      if (room <= 0) return
      const kept = bytes.length > room ? bytes.subarray(0, room) : bytes
      room -= kept.length
      block.push(kept)
      inBlock += kept.length
      if (inBlock < blockBytes) return
      // A copy, because zlib returns a part of a larger buffer.
      deflated.push(Buffer.from(deflateRawSync(Buffer.concat(block), { level })))
      block = []
      inBlock = 0
    },
    read: () => bodyOf(Buffer.concat([...deflated.map((part) => inflateRawSync(part)), ...block]), format),
  }
}

/** The body that the events form together; their text when they form none. */
function bodyOf(bytes: Buffer, format: StreamFormat): Json {
  try {
    return format.assemble(readSentEvents(bytes, format))
  } catch (error) {
    // Events in another format, such as those that a provider adds.
    if (!(error instanceof TypeError)) throw error
    return bytes.toString('utf8')
  }
}

/** Bytes contain nothing to read: only their mark is kept. */
export function keepSentMedia(maxBytes: number): SentStream {
  const hash = createHash('sha256')
  let keptBytes = 0
  return {
    add(bytes) {
      const kept = bytes.subarray(0, maxBytes - keptBytes)
      keptBytes += kept.length
      hash.update(kept)
    },
    read: () => markOfMedia(hash.copy().digest('hex'), keptBytes),
  }
}
