/**
 * How much text a stream has carried to its caller, counted without reading it: events of one stream differ in little
 * but their text, so that the size of what stands around it in one of them tells the rest.
 */
import { isObject } from '@gateway/contract'
import type { SentText } from '../flow/ledger.ts'
import type { StreamFormat } from '../flow/stream-format.ts'
import { parseJson } from '../shared/json.ts'
import { parseEvents } from './sse-splitter.ts'

/** The last event is often one without text. */
const samples = 3
const lineFeed = 10

export function createSentText(format: StreamFormat): SentText {
  let sizeBytes = 0
  let events = 0
  const kept: Buffer[] = []
  return {
    push(bytes) {
      sizeBytes += bytes.length
      events += eventsIn(bytes)
      if (kept.length === samples) kept.shift()
      kept.push(bytes)
    },
    textBytes() {
      const around = aroundText(kept, format)
      return around === null ? 0 : Math.max(0, Math.round(sizeBytes - events * around))
    },
  }
}

/** Byte by byte, as that search is the fastest: how many empty lines there are. */
function eventsIn(bytes: Buffer): number {
  let events = 0
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] !== lineFeed) continue
    events += 1
    at += 1
  }
  return events
}

/** What an event with text has beside it, in bytes; null when none of these has any. */
function aroundText(buffers: readonly Buffer[], format: StreamFormat): number | null {
  for (const bytes of buffers.toReversed()) {
    const events = parseEvents(bytes)
    const texts = events.map(({ data }) => {
      const event = parseJson(data)
      return isObject(event)
        ? format.deltas(event).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
        : 0
    })
    const textBytes = texts.reduce((sum, size) => sum + size, 0)
    if (textBytes > 0) return (bytes.length - textBytes) / events.length
  }
  return null
}
