/**
 * Streams that differ from the format in two things: their usage stands in a content chunk (or under a vendor's
 * key) instead of in a chunk of its own, and their finish reasons have other names. The last usage met is sent
 * before `[DONE]` to a caller who asked for it.
 * Errors: {@link UpstreamFault} for an event that carries an error.
 */
import {
  type CallContext,
  isObject,
  type JsonObject,
  type StreamTranslator,
  UpstreamFault,
} from '@gateway/core/contract'
import { parseEvent } from '../../parse-event.ts'
import { compatibleError } from './errors.ts'
import { type FinishReasons, mapFinishReasons } from './finish-reasons.ts'

export interface StreamRules {
  /** Where usage stands when it has no chunk of its own: `chunk`, or a key that holds `{usage}`. */
  usageIn?: string
  finishReasons?: FinishReasons
}

/** Whether these rules need a translator at all. */
export function needsTranslation(rules: StreamRules): boolean {
  return rules.usageIn !== undefined || rules.finishReasons !== undefined
}

/** A translator for one stream. */
export function compatibleStream(rules: StreamRules, context: CallContext): StreamTranslator {
  let usage: JsonObject | null = null
  let head: JsonObject = {}

  function usageChunks(): JsonObject[] {
    return context.includeUsage && usage !== null ? [{ ...head, choices: [], usage }] : []
  }

  return {
    event({ data }) {
      if (data.trim() === '[DONE]') return { chunks: usageChunks(), done: true }
      const chunk = parseEvent(data)
      throwError(chunk, rules)
      head = { id: chunk.id, object: chunk.object, created: chunk.created, model: chunk.model }
      const { usage: own, ...rest } = chunk
      const found = isObject(own) ? own : holderOf(chunk, rules).usage
      if (isObject(found)) usage = found
      const isUsageOnly = isObject(found) && Array.isArray(rest.choices) && rest.choices.length === 0
      const mapped = mapFinishReasons(rest, rules.finishReasons ?? {}, context.strict)
      return { chunks: isUsageOnly ? [] : [mapped], done: false }
    },
    end: () => ({ chunks: [], done: false }),
  }
}

function throwError(chunk: JsonObject, rules: StreamRules): void {
  const error = chunk.error ?? holderOf(chunk, rules).error
  if (error === undefined || error === null) return
  const fault = compatibleError(502, { error })
  if (fault !== null) throw new UpstreamFault(fault)
}

function holderOf(chunk: JsonObject, { usageIn }: StreamRules): JsonObject {
  const holder = usageIn === undefined ? undefined : chunk[usageIn]
  return isObject(holder) ? holder : {}
}
