/**
 * The usage that an answer names whose bytes nobody reads: watched as they pass, looked at once they are over. Of JSON
 * up to a bound, of events in the last of them.
 */
import type { Usage } from '../answer.ts'
import { isObject, type Json, type JsonObject } from '../contract/index.ts'
import { parseJson } from '../gateway-headers.ts'
import { count } from './compatible-format.ts'
import { parseEvents } from './split.ts'

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
      return text.includes('"usage"') ? usageIn(parseJson(text)) : null
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
        const usage = data.includes('"usage"') ? usageIn(parseJson(data)) : null
        return usage === null ? [] : [usage]
      })
      return usages.at(-1) ?? null
    },
  }
}

/** Under the names of the formats that are met most. */
function usageIn(body: unknown): Usage | null {
  if (!isObject(body)) return null
  const holder: JsonObject = isObject(body.response) ? body.response : body
  const { usage } = holder
  if (!isObject(usage)) return null
  const first = (...values: (Json | undefined)[]) => values.find((value) => typeof value === 'number')
  return {
    promptTokens: count(first(usage.prompt_tokens, usage.input_tokens)),
    completionTokens: count(first(usage.completion_tokens, usage.output_tokens)),
  }
}
