/**
 * The beginning of a sent stream, kept for the log until the stream ends, which takes as long as its client reads.
 * Bytes beyond one block are deflated. Events repeat most of their bytes, so a client that does not read costs a tenth
 * of the memory.
 */
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import { markOfMedia } from '@gateway/domain'
import type { SentStream } from '@gateway/flow'
import { parseEvents } from './sse-splitter.ts'

/** Most streams are shorter than a block, and are never deflated. */
const blockBytes = 65_536
/** The fastest level: for events, the others compress hardly better. */
const level = 1

/** @param maxBytes later bytes are not kept */
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
    read() {
      const parts = [...deflated.map((part) => inflateRawSync(part)), ...block]
      const [only] = parts
      return bodyOf(only !== undefined && parts.length === 1 ? only : Buffer.concat(parts), format)
    },
  }
}

/** The body that the events form together, or their text if they do not form a body. */
function bodyOf(bytes: Buffer, format: StreamFormat): Json {
  try {
    return format.assemble(readSentEvents(bytes, format))
  } catch (error) {
    // Events in another format, such as those that a provider adds.
    if (!(error instanceof TypeError)) throw error
    return bytes.toString('utf8')
  }
}

/** Binary data is not readable: only its placeholder is kept. */
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

type Format = Pick<StreamFormat, 'textAlone'>

/** Consecutive events that are equal except for their texts. */
interface Run {
  first: JsonObject
  /** The bytes before and after the text in each of them. */
  before: Buffer
  after: Buffer
  /** The joined texts, escaped as they were sent. */
  text: string
  /** The number of events in the run. */
  count: number
}

const carriageReturn = 13
const eventEnd = Buffer.from('\n\n')

/**
 * The events; each run is one, because most events differ only in their text, and parsing one instead of each takes a
 * fraction of the time. Only the texts are decoded. `format.assemble` makes the same of them as of all events.
 */
export function readSentEvents(bytes: Buffer, format: Format): JsonObject[] {
  if (bytes.includes(carriageReturn)) return eventsOf(bytes.toString('utf8'))
  const events: JsonObject[] = []
  let run: Run | null = null
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(eventEnd, start)
    const end = found === -1 ? bytes.length : found
    const text: string | null = run === null ? null : textIn(run, bytes, start, end)
    if (run !== null && text !== null && (run.count > 1 || isFrame(run, format))) {
      run.text += text
      run.count += 1
    } else {
      events.push(...eventsOfRun(run))
      const written = bytes.toString('utf8', start, end)
      const read = eventsOf(written)
      run = beginRun(written, read, format)
      if (run === null) events.push(...read)
    }
    start = end + 2
  }
  return [...events, ...eventsOfRun(run)]
}

function eventsOfRun(run: Run | null): JsonObject[] {
  if (run === null) return []
  return run.count === 1 ? [run.first] : eventsOf(`${run.before}${run.text}${run.after}`)
}

/** The text of the event between `start` and `end`; null when the event is not part of the run. */
function textIn({ before, after }: Run, bytes: Buffer, start: number, end: number): string | null {
  const from = start + before.length
  const to = end - after.length
  if (to < from) return null
  if (bytes.compare(before, 0, before.length, start, from) !== 0) return null
  if (bytes.compare(after, 0, after.length, to, end) !== 0) return null
  const text = bytes.toString('utf8', from, to)
  return stringContent.test(text) ? text : null
}

/** A JSON string; control characters must be escaped. */
const stringContent = /^(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*$/u

/** Null if no other event can be compared with this one. */
function beginRun(written: string, read: readonly JsonObject[], format: Format): Run | null {
  const [first, ...others] = read
  const text = first === undefined || others.length > 0 ? null : format.textAlone(first)
  if (first === undefined || text === null) return null
  const escaped = JSON.stringify(text)
  const at = written.indexOf(escaped)
  if (at === -1 || written.includes(escaped, at + 1)) return null
  return {
    first,
    before: Buffer.from(written.slice(0, at + 1)),
    after: Buffer.from(written.slice(at + escaped.length - 1)),
    text: escaped.slice(1, -1),
    count: 1,
  }
}

const probe = 'text of a probe'

/** Whether the found text is the one that the event adds. */
function isFrame({ before, after }: Run, format: Format): boolean {
  const [event] = eventsOf(`${before}${probe}${after}`)
  return event !== undefined && format.textAlone(event) === probe
}

/** The end of the event is included, because complete events are read faster. */
const eventsOf = (sent: string): JsonObject[] =>
  parseEvents(`${sent}\n\n`)
    // `[DONE]` is not JSON, and the exception takes longer than parsing all other events of a stream.
    .filter(({ data }) => objectStart.test(data))
    .map(({ data }) => parseJson(data))
    .filter(isObject)

const objectStart = /^\s*\{/
