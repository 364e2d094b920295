/**
 * Token counts of the Messages format. Cached input is counted apart there: the whole input is `input_tokens` plus what
 * was read from and written to the cache.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { noUsage, type Usage } from '../flow/usage.ts'
import { readUsage } from './usage.ts'

/**
 * What a message, or an event of its stream, says of tokens. Counts of later events are totals. What the first event
 * says of the output is no count yet: it is there before the output.
 */
export function messageUsage(body: JsonObject, before: Usage | null): Usage | null {
  const usage = isObject(body.usage) ? body.usage : isObject(body.message) ? body.message.usage : null
  if (!isObject(usage)) return before
  const hasInput = typeof usage.input_tokens === 'number'
  const hasOutput = usage === body.usage && typeof usage.output_tokens === 'number'
  const read = readUsage(usage)
  const known = before ?? noUsage
  return {
    ...known,
    ...(hasInput
      ? {
          promptTokens: read.promptTokens + read.cachedTokens + read.cacheWriteTokens,
          cachedTokens: read.cachedTokens,
          cacheWriteTokens: read.cacheWriteTokens,
          // A later event repeats the counts without telling apart for how long they are kept.
          cacheWriteHourTokens: Math.max(read.cacheWriteHourTokens, known.cacheWriteHourTokens),
        }
      : {}),
    ...(hasOutput ? { completionTokens: read.completionTokens, reasoningTokens: read.reasoningTokens } : {}),
    units: read.units ?? known.units,
  }
}
