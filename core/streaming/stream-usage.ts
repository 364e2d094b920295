/**
 * The usage in a forwarded answer: observed as bytes are forwarded, parsed at the end. For JSON up to a size limit, for
 * streams in the last events.
 */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import { messageUsage, readUsage, type StreamFormat, type Usage } from '@gateway/contract/dialect'
import type { Attempt, Routed, SentText } from '@gateway/flow'
import { eventsWith, parseEvents } from './sse-splitter.ts'
import { countWritten } from './written-bytes.ts'

export interface UsageWatch {
  chunk(bytes: Buffer): void
  /** The usage; null if none was reported. */
  end(): Usage | null
}

const maxJsonBytes = 1_048_576
/** One of the last events contains the usage. */
const tailBytes = 65_536

const nothing: UsageWatch = { chunk: () => undefined, end: () => null }

/** Watches an answer of this content type. */
export function watchUsageOf(contentType: string): UsageWatch {
  if (/^text\/event-stream\b/i.test(contentType)) return watchEvents()
  return /^[^;]*\bjson\b/i.test(contentType) ? watchJson() : nothing
}

function watchJson(): UsageWatch {
  let chunks: Buffer[] = []
  let sizeBytes = 0
  return {
    chunk(bytes) {
      sizeBytes += bytes.length
      if (sizeBytes <= maxJsonBytes) chunks.push(bytes)
      else chunks = []
    },
    end() {
      const text = sizeBytes <= maxJsonBytes ? Buffer.concat(chunks).toString('utf8') : ''
      return text.includes('"usage"') ? rawUsageOf(parseJson(text)) : null
    },
  }
}

function watchEvents(): UsageWatch {
  let tail: Buffer = Buffer.alloc(0)
  return {
    chunk(bytes) {
      tail = (tail.length === 0 ? bytes : Buffer.concat([tail, bytes])).subarray(-tailBytes)
    },
    end() {
      const usages = parseEvents(tail).flatMap(({ data }) => {
        const usage = data.includes('"usage"') ? rawUsageOf(parseJson(data)) : null
        return usage === null ? [] : [usage]
      })
      return usages.at(-1) ?? null
    },
  }
}

/** The member names of the most common formats. One of them counts cached input separately. */
export function rawUsageOf(body: unknown): Usage | null {
  if (!isObject(body)) return null
  const holder: JsonObject = isObject(body.response) ? body.response : body
  const { usage } = holder
  if (!isObject(usage)) return null
  return typeof usage.cache_read_input_tokens === 'number' ? messageUsage({ usage }, null) : readUsage(usage)
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
