/**
 * Token counts of the Messages format. Cached input is counted separately: the whole input is `input_tokens` plus cache
 * reads and writes. Reference: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { isObject, type JsonObject } from '../json.ts'
import { noUsage, readUsage, type Usage } from './usage.ts'

/**
 * The token counts of a message or of an event of its stream. Counts of later events are totals. The first event's
 * output count precedes the output and is ignored.
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
          // Later events repeat the counts without the breakdown by cache duration.
          cacheWriteHourTokens: Math.max(read.cacheWriteHourTokens, known.cacheWriteHourTokens),
        }
      : {}),
    ...(hasOutput ? { completionTokens: read.completionTokens, reasoningTokens: read.reasoningTokens } : {}),
    units: read.units ?? known.units,
  }
}
