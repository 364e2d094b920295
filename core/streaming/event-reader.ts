/** Reads the events of one stream: the text that they add to the answer, and whether they end the stream. */
import { isObject, parseJson } from '@gateway/contract'
import type { Delta, StreamFormat } from '@gateway/contract/dialect'
import type { AnswerStream } from '@gateway/flow'
import { type Cut, type Frame, findFrame, type Sample } from './event-template.ts'
import { parseEvents, sliceEvents } from './sse-splitter.ts'

/** One event, or several consecutive events that add to one text. */
export interface ReadEvents {
  bytes: Buffer
  deltas: readonly Delta[]
  /** The end of each of several events, in the bytes and in their text; empty for one event. */
  cuts: readonly Cut[]
  /** Prefixes of the paths whose texts the event completes. */
  ended: readonly string[]
  /** Whether it ends the stream. */
  isLast: boolean
}

export interface EventReader {
  /** @param bytes whole events */
  read(bytes: Buffer): ReadEvents[]
  /** The minimum number of bytes other than text in most events; 0 when it is unknown. */
  aroundBytes(): number
}

const none: readonly never[] = []

/** After this many misses a stream is no longer searched for a common frame. */
const maxSearches = 16

/**
 * Creates the reader of a stream. Most events differ from the previous one only in their text.
 * @param runChars text length after which no further event is joined with the previous ones, in UTF-16 units
 */
export function createEventReader(format: StreamFormat, runChars: number): EventReader {
  let frame: Frame | null = null
  let searches = 0
  let sample: Sample | null = null

  const readSample = (bytes: Buffer): Sample | null => sampleOf(readFully(bytes, format))

  /** The events at the beginning of `bytes` that match the template. */
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
  /** The text length worth checking, in UTF-16 units. */
  missingChars(): number
  /** The minimum number of bytes other than text in most events. */
  aroundBytes(): number
}

/** This applies even if they seem to contain little text: other events can have fewer other bytes. */
const maxReads = 64
const maxBytes = 65_536

/** Yields complete events, like the stream. Reevaluates the required length after each event. */
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
