/** Reads the events of one stream: what they add to the texts of the answer, and whether they end them. */
import { isObject, parseJson } from '@gateway/contract'
import type { AnswerStream } from '../flow/answer.ts'
import type { Delta, StreamFormat } from '../flow/stream-format.ts'
import { type Cut, type Frame, findFrame, type Sample } from './event-template.ts'
import { parseEvents, sliceEvents } from './sse-splitter.ts'

/** One event, or several that follow each other and add to one text. */
export interface ReadEvents {
  bytes: Buffer
  deltas: readonly Delta[]
  /** Where each of several events ends, in the bytes and in their text; none for one. */
  cuts: readonly Cut[]
  /** Prefixes of the paths whose texts the event completes. */
  ended: readonly string[]
  /** Whether it ends the stream. */
  isLast: boolean
}

export interface EventReader {
  /** @param bytes whole events */
  read(bytes: Buffer): ReadEvents[]
  /** What most events have beside their text, at the least; 0 where that is not known. */
  aroundBytes(): number
}

const none: readonly never[] = []

/** After this many misses a stream is no longer searched for a common frame. */
const maxSearches = 16

/**
 * Makes the reader of a stream. Most events differ from the one before in little but their text.
 * @param runChars text after which no further event is read as one with those before, in UTF-16 units
 */
export function createEventReader(format: StreamFormat, runChars: number): EventReader {
  let frame: Frame | null = null
  let searches = 0
  let sample: Sample | null = null

  const readSample = (bytes: Buffer): Sample | null => sampleOf(readFully(bytes, format))

  /** The events at the beginning of `bytes` that are in the frame. */
  const readFramed = (bytes: Buffer): ReadEvents | null => {
    const run = frame?.read(bytes, runChars) ?? null
    if (frame === null || run === null) return null
    const { text, cuts, byteEnd } = run
    const own = byteEnd === bytes.length ? bytes : bytes.subarray(0, byteEnd)
    return { bytes: own, deltas: [{ path: frame.path, text }], cuts, ended: none, isLast: false }
  }

  const readOne = (bytes: Buffer): ReadEvents => {
    const event = readFully(bytes, format)
    const before = sample
    sample = sampleOf(event)
    if (before !== null && sample !== null && searches < maxSearches) {
      frame = findFrame(before, sample, readSample) ?? frame
      searches += 1
    }
    return event
  }

  return {
    read(bytes) {
      const all: ReadEvents[] = []
      let rest = bytes
      for (let run = readFramed(rest); run !== null; run = readFramed(rest)) {
        all.push(run)
        rest = rest.subarray(run.bytes.length)
      }
      for (const slice of sliceEvents(rest)) all.push(readFramed(slice) ?? readOne(slice))
      return all
    },
    aroundBytes: () => frame?.aroundBytes ?? 0,
  }
}

function readFully(bytes: Buffer, format: StreamFormat): ReadEvents {
  const [event] = parseEvents(bytes)
  const isLast = event !== undefined && format.isLast(event)
  const parsed = event === undefined || isLast ? undefined : parseJson(event.data)
  return isObject(parsed)
    ? { bytes, deltas: format.deltas(parsed), cuts: none, ended: format.ended(parsed), isLast }
    : { bytes, deltas: none, cuts: none, ended: none, isLast }
}

function sampleOf({ bytes, deltas, ended, isLast }: ReadEvents): Sample | null {
  const [delta] = deltas
  if (delta === undefined || deltas.length > 1 || ended.length > 0 || isLast) return null
  return { bytes, ...delta }
}

export interface Wanted {
  /** The text that is worth a look, in UTF-16 units. */
  missingChars(): number
  /** What most events have beside their text, at the least. */
  aroundBytes(): number
}

/** However little text they seem to hold: other events may have less beside it. */
const maxReads = 64
const maxBytes = 65_536

/** Yields complete events, like the stream. Reevaluates what is needed after each event. */
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
