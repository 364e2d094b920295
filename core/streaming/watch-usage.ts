/**
 * The usage in a forwarded answer: observed as bytes are forwarded, parsed at the end. For JSON up to a size limit, for
 * streams in the last events.
 */
import { isJsonType, isObject, type JsonObject, parseJson } from '@gateway/contract'
import { messageUsage, readUsage, type Usage } from '@gateway/contract/dialect'
import { parseEvents } from './sse-splitter.ts'

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
  return isJsonType(contentType) ? watchJson() : nothing
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
