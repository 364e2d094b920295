/**
 * Streams that differ from the format: their usage is in a content chunk (or under a vendor's key) instead of a
 * separate chunk, their finish reasons have other names, they report failures differently, or they are chat streams
 * for text completions. The last usage is sent before `[DONE]` to a caller who requested it.
 * Errors: {@link UpstreamFault} for an event with an error.
 */
import {
  type CallContext,
  isObject,
  type Json,
  type JsonObject,
  type StreamEvent,
  type StreamTranslator,
} from '@gateway/contract'
import { replacedIds, withCallersIds } from '../../chat/tool-call-ids.ts'
import { objectsOf, textOf } from '../../chat/values.ts'
import { parseEvent } from '../../parse-event.ts'
import { compatibleFault } from './errors.ts'
import { type FailureRules, throwFailure } from './failure.ts'
import { type FinishReasons, mapFinishReasons } from './finish-reasons.ts'
import { idsFor, type MessageRules } from './messages.ts'
import { asTextCompletion } from './text-answer.ts'

export interface StreamRules extends FailureRules, Pick<MessageRules, 'toolCallIds'> {
  /** The place of the usage without a separate chunk: `chunk`, or a key that contains `{usage}`. */
  usageIn?: string
  finishReasons?: FinishReasons
  /** A text completion is answered in the chat format. */
  answersAsChat?: boolean
}

/** Whether these rules need a translator. */
export function needsTranslation(rules: StreamRules): boolean {
  return (
    rules.usageIn !== undefined ||
    rules.finishReasons !== undefined ||
    rules.failure !== undefined ||
    rules.answersAsChat === true
  )
}

/** A translator for one stream. */
export function compatibleStream(rules: StreamRules, context: CallContext): StreamTranslator {
  let usage: JsonObject | null = null
  let head: JsonObject = {}
  const ending = endingOf(context.request)
  const ids = idsFor(context.request, rules)
  const replaced = ids === null ? null : replacedIds(context.request, ids)
  const shape = rules.answersAsChat === true ? asTextCompletion : (chunk: JsonObject) => chunk

  function usageChunks(): JsonObject[] {
    return context.includeUsage && usage !== null ? [shape({ ...head, choices: [], usage })] : []
  }

  return {
    event({ event, data }) {
      if (data.trim() === '[DONE]') return { chunks: usageChunks(), done: true }
      const chunk = parseEvent(data)
      throwError(chunk, event, rules)
      ending.read(chunk)
      head = { id: chunk.id, object: chunk.object, created: chunk.created, model: chunk.model }
      const { usage: own, ...rest } = chunk
      const found = isObject(own) ? own : holderOf(chunk, rules).usage
      if (isObject(found)) usage = found
      const isUsageOnly = isObject(found) && Array.isArray(rest.choices) && rest.choices.length === 0
      if (isUsageOnly) return { chunks: [], done: false }
      // Usage that the caller did not request stays where the provider put it.
      const said = mapFinishReasons(
        context.hidesUsage === true ? chunk : rest,
        rules.finishReasons,
        context.strict,
      )
      return { chunks: [shape(replaced === null ? said : withCallersIds(said, replaced))], done: false }
    },
    end: () => (ending.isReached() ? { chunks: usageChunks(), done: true } : { chunks: [], done: false }),
  }
}

/** Some providers close the stream without `[DONE]`: it is complete if every choice has its finish reason. */
function endingOf({ n }: JsonObject): { read(chunk: JsonObject): void; isReached(): boolean } {
  const finished = new Set<Json>()
  return {
    read({ choices }) {
      for (const { index = 0, finish_reason: reason } of objectsOf(choices))
        if (textOf(reason) !== '') finished.add(index)
    },
    isReached: () => finished.size >= (typeof n === 'number' ? n : 1),
  }
}

function throwError(chunk: JsonObject, event: StreamEvent['event'], rules: StreamRules): void {
  const held = holderOf(chunk, rules).error
  const fault = compatibleFault(held === undefined ? chunk : { error: held }, event)
  if (fault !== null) throw fault
  throwFailure(chunk, rules)
}

function holderOf(chunk: JsonObject, { usageIn }: StreamRules): JsonObject {
  const holder = usageIn === undefined ? undefined : chunk[usageIn]
  return isObject(holder) ? holder : {}
}
