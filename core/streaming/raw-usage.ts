/**
 * The usage that an answer names whose bytes nobody reads: watched as they pass, looked at once they are over. Of JSON
 * up to a bound, of events in the last of them.
 */

import { isObject, type JsonObject } from '@gateway/contract'
import type { Usage } from '../flow/usage.ts'
import { messageUsage } from '../metering/message-usage.ts'
import { readUsage } from '../metering/usage.ts'
import { parseJson } from '../shared/json.ts'
import { parseEvents } from './sse-splitter.ts'

export interface UsageWatch {
  chunk(bytes: Buffer): void
  /** Null when none was named. */
  end(): Usage | null
}

const maxJsonBytes = 1_048_576
/** Usage stands in one of the last events. */
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

/** Under the names of the formats that are met most. One of them counts cached input beside the rest of it. */
export function rawUsageOf(body: unknown): Usage | null {
  if (!isObject(body)) return null
  const holder: JsonObject = isObject(body.response) ? body.response : body
  const { usage } = holder
  if (!isObject(usage)) return null
  return typeof usage.cache_read_input_tokens === 'number' ? messageUsage({ usage }, null) : readUsage(usage)
}
