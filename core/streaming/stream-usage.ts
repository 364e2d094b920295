/**
 * The usage of a stream: as its events report it, and the text that the model wrote, from which the usage is estimated
 * if none is reported.
 */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { Delta, StreamFormat, WrittenText } from '@gateway/contract/dialect'
import type { Attempt, Routed, SentText } from '@gateway/flow'
import { boundariesIn, endOfEvent, eventsWith, parseEvents } from './sse-splitter.ts'

export interface StreamUsage {
  /** The bytes of whole events to forward; null if no events are left. */
  bytes(events: Buffer): Buffer | null
  /** The event to write instead; null if it is removed. */
  event(event: JsonObject): JsonObject | null
}

const asksUsage = ({ stream_options: options }: JsonObject): boolean =>
  isObject(options) && options.include_usage === true

/** Whether the gateway requests this stream's usage for its own accounting. */
export const hidesUsage = ({ endpoint, input: { body } }: Pick<Routed, 'endpoint' | 'input'>): boolean =>
  body.stream === true && endpoint.asksForUsage && !asksUsage(body)

/** The body with a request for the usage. */
export const askUsage = (body: JsonObject): JsonObject => ({
  ...body,
  stream_options: { ...(isObject(body.stream_options) ? body.stream_options : {}), include_usage: true },
})

/** The same for the text of a body, as cheaply as possible; null if the body must be serialized again. */
export function askUsageInText(text: string, { stream_options: given }: JsonObject): string | null {
  const trimmed = text.trimEnd()
  if (given !== undefined || !trimmed.endsWith('}')) return null
  return `${trimmed.slice(0, -1)},"stream_options":{"include_usage":true}}`
}

export function createStreamUsage(
  attempt: Attempt | null,
  format: StreamFormat,
  isHidden: boolean,
): StreamUsage {
  function read(event: JsonObject): void {
    if (attempt === null) return
    attempt.usage = format.usageOf(event, attempt.usage)
    const { model = event.modelVersion } = event
    if (typeof model === 'string') attempt.answeredModel = model
  }

  const isUsageAlone = ({ choices, usage }: JsonObject) =>
    isHidden && isObject(usage) && Array.isArray(choices) && choices.length === 0

  /** Whether to forward an event. */
  function passes(slice: Buffer): boolean {
    let isPassed = true
    for (const { data } of parseEvents(slice)) {
      const event = parseJson(data)
      if (!isObject(event)) continue
      read(event)
      if (isUsageAlone(event)) isPassed = false
    }
    return isPassed
  }

  return {
    bytes(events) {
      const kept: Buffer[] = []
      let from = 0
      for (const { start, end } of eventsWith(events, format.usageMarks)) {
        if (passes(events.subarray(start, end))) continue
        if (start > from) kept.push(events.subarray(from, start))
        from = end
      }
      if (from === 0) return events
      if (from < events.length) kept.push(events.subarray(from))
      return kept.length === 0 ? null : Buffer.concat(kept)
    },
    event(event) {
      const { usage, usageMetadata, response, message } = event
      if (usage === undefined && usageMetadata === undefined && !isObject(response) && !isObject(message))
        return event
      read(event)
      if (!isHidden || event.usage === undefined) return event
      if (isUsageAlone(event)) return null
      if (event.usage !== null) return event
      const { usage: _, ...rest } = event
      return rest
    },
  }
}

/** The number of last reads that are kept. */
const keptReads = 3
/** Only some events of a larger piece are kept: the rest would stay in memory as long as its client reads. */
const sampleBytes = 16_384
const betweenEvents = '\n\n'

/** Counts the text that the model wrote as it is sent. */
export function createSentText({ written }: StreamFormat): SentText {
  const count = countWritten(written)
  let sizeBytes = 0
  let first: Buffer | null = null
  const kept: Buffer[] = []
  return {
    push(bytes) {
      first ??= beginningOf(bytes)
      sizeBytes += count(bytes)
      if (kept.length === keptReads) kept.shift()
      kept.push(endOf(bytes))
    },
    textBytes: () => sizeBytes,
    ends: () => (first === null || kept.includes(first) ? kept : [first, ...kept]),
  }
}

/** Whole events at the beginning of a piece. */
function beginningOf(bytes: Buffer): Buffer {
  if (bytes.length <= 2 * sampleBytes) return bytes
  const end = bytes.lastIndexOf(betweenEvents, sampleBytes)
  return end === -1 ? bytes : Buffer.from(bytes.subarray(0, end + betweenEvents.length))
}

/** Whole events at the end of a piece. */
function endOf(bytes: Buffer): Buffer {
  if (bytes.length <= 2 * sampleBytes) return bytes
  const start = bytes.indexOf(betweenEvents, bytes.length - sampleBytes)
  const isWithin = start !== -1 && start + betweenEvents.length < bytes.length
  return isWithin ? Buffer.from(bytes.subarray(start + betweenEvents.length)) : bytes
}

/** The bytes around the only text of an event. */
interface Surroundings {
  /** The offset of the text. */
  start: number
  /** The bytes before the text, and those after it. */
  before: Buffer
  after: Buffer
  /** The size of the event after its text. */
  restBytes: number
}

/** The number of bytes around a text that are compared. */
const comparedBytes = 24
/** The bytes after the text may differ in padding, but must not contain another text. */
const paddingBytes = 32

/**
 * Returns the function that measures the events of one stream, in UTF-8 bytes of text; it takes whole events. It is on
 * the per-chunk hot path: most events equal the one before around their text, and are measured by comparing bytes. Any
 * other event is parsed.
 */
function countWritten({ marks, deltas }: WrittenText): (bytes: Buffer) => number {
  let known: Surroundings | null = null

  function parse(bytes: Buffer): number {
    if (!marks.some((mark) => bytes.includes(mark))) return 0
    const texts: Delta[] = []
    for (const { data } of parseEvents(bytes)) {
      const event = parseJson(data)
      if (isObject(event)) texts.push(...deltas(event))
    }
    const [only] = texts
    if (only !== undefined && texts.length === 1) known = surroundingsOf(bytes, only.text) ?? known
    return texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  }

  const measure = (bytes: Buffer, from: number, to: number): number | null =>
    known === null ? null : measureText(bytes, from, to, known)

  return (bytes) => {
    const size = measure(bytes, 0, bytes.length)
    if (size !== null) return size
    const possible = boundariesIn(bytes)
    let sum = 0
    for (let from = 0; from < bytes.length; ) {
      const to = endOfEvent(bytes, from, possible)
      sum += measure(bytes, from, to) ?? parse(bytes.subarray(from, to))
      from = to
    }
    return sum
  }
}

/** Null if the text appears more than once. */
function surroundingsOf(bytes: Buffer, text: string): Surroundings | null {
  const written = JSON.stringify(text)
  const start = bytes.indexOf(written) + 1
  if (start === 0 || bytes.includes(written, start)) return null
  const end = start + Buffer.byteLength(written) - 2
  return {
    start,
    before: Buffer.from(bytes.subarray(Math.max(0, start - comparedBytes), start)),
    after: Buffer.from(bytes.subarray(end, end + comparedBytes)),
    restBytes: bytes.length - end,
  }
}

const quote = 0x22
const backslash = 0x5c
const unicodeEscape = 0x75

/** The size of the text of the event between two offsets, if it has these surroundings; null for another event. */
function measureText(
  bytes: Buffer,
  from: number,
  to: number,
  { start, before, after, restBytes }: Surroundings,
): number | null {
  const first = from + start
  if (first > to || !stands(before, bytes, first - before.length)) return null
  let size = 0
  let at = first
  for (; bytes[at] !== quote; at += 1) {
    if (at >= to) return null
    size += 1
    if (bytes[at] !== backslash) continue
    at += 1
    if (bytes[at] !== unicodeEscape) continue
    size += extraBytes(Number.parseInt(bytes.toString('latin1', at + 1, at + 5), 16))
    at += 4
  }
  const isAlone = to - at <= restBytes + paddingBytes
  return isAlone && at + after.length <= to && stands(after, bytes, at) ? size : null
}

/** UTF-8 bytes of a code unit after the first one; a pair of surrogates has four bytes. */
const extraBytes = (unit: number): number =>
  unit < 0x80 ? 0 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2

/** Compares byte by byte, which is the fastest way for so few bytes. */
function stands(piece: Buffer, bytes: Buffer, at: number): boolean {
  for (let index = 0; index < piece.length; index += 1) if (bytes[at + index] !== piece[index]) return false
  return true
}
