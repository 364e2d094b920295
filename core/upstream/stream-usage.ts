/**
 * The usage that a stream tells of, read as it passes. Where only the gateway asked for it, the event that holds nothing
 * else is taken out, and so is the empty member that stands in all others of a stream that is written here.
 */
import { isObject, type JsonObject } from '@gateway/contract'
import type { Exchange } from '../flow/exchange.ts'
import type { Attempt } from '../flow/ledger.ts'
import type { StreamFormat } from '../flow/stream-format.ts'
import { parseJson } from '../shared/json.ts'
import { parseEvents, sliceEvents } from '../streaming/sse-splitter.ts'

export interface StreamUsage {
  /** Bytes of whole events as they go on; null when nothing is left of them. */
  bytes(events: Buffer): Buffer | null
  /** An event that is written here; null when it is taken out. */
  event(event: JsonObject): JsonObject | null
}

const asksUsage = ({ stream_options: options }: JsonObject): boolean =>
  isObject(options) && options.include_usage === true

/** Whether the gateway asks for the usage of this call's stream on its own account. */
export const hidesUsage = ({ endpoint, body }: Pick<Exchange, 'endpoint' | 'body'>): boolean =>
  body.stream === true && endpoint?.asksForUsage === true && !asksUsage(body)

/** The body with a question for the usage. */
export const askUsage = (body: JsonObject): JsonObject => ({
  ...body,
  stream_options: { ...(isObject(body.stream_options) ? body.stream_options : {}), include_usage: true },
})

/** The same of the text of a body, as cheap as can be; null where it must be written anew. */
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
    if (typeof event.model === 'string') attempt.answeredModel = event.model
  }

  const isUsageAlone = ({ choices, usage }: JsonObject) =>
    isHidden && isObject(usage) && Array.isArray(choices) && choices.length === 0

  /** Whether an event is to go on. */
  function passes(slice: Buffer): boolean {
    let isPassed = true
    for (const { data } of parseEvents(slice)) {
      const event = data.includes('"usage"') ? parseJson(data) : null
      if (!isObject(event)) continue
      read(event)
      if (isUsageAlone(event)) isPassed = false
    }
    return isPassed
  }

  return {
    bytes(events) {
      if (!format.usageMarks.some((mark) => events.includes(mark))) return events
      if (!isHidden) {
        passes(events)
        return events
      }
      const slices = sliceEvents(events)
      const kept = slices.filter(passes)
      if (kept.length === slices.length) return events
      return kept.length === 0 ? null : Buffer.concat(kept)
    },
    event(event) {
      if (event.usage === undefined && !isObject(event.response) && !isObject(event.message)) return event
      read(event)
      if (!isHidden || event.usage === undefined) return event
      if (isUsageAlone(event)) return null
      if (event.usage !== null) return event
      const { usage: _, ...rest } = event
      return rest
    },
  }
}
