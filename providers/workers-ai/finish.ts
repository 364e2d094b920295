/**
 * The finish reason of an answer. Most models do not report one; their answers ended with a call, at the token limit,
 * or by themselves.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import {
  chatUsage,
  countOf,
  type Finish,
  type FinishReason,
  maxTokens,
  objectOf,
} from '@gateway/provider-kit'

/** The default token limit of the models. */
const defaultMaxTokens = 256

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
}

export interface Ended {
  /** The model's own reason, if it gave one. */
  given: Json | undefined
  hasCalls: boolean
  usage: Json | undefined
  request: JsonObject
}

export function finishOf({ given, hasCalls, usage, request }: Ended): Finish {
  const word = typeof given === 'string' && Object.hasOwn(reasons, given) ? reasons[given] : undefined
  if (hasCalls && (word === undefined || word === 'stop'))
    return { reason: 'tool_calls', given: given ?? undefined }
  if (word !== undefined) return { reason: word, given }
  const isCut = given === undefined || given === null ? isAtBound(usage, request) : false
  return { reason: isCut ? 'length' : 'stop', given: given ?? undefined }
}

function isAtBound(usage: Json | undefined, request: JsonObject): boolean {
  const count = isObject(usage) ? countOf(usage.completion_tokens) : 0
  const bound = maxTokens(request)
  return bound === undefined ? count === defaultMaxTokens : count > 0 && count >= bound
}

/** Usage in the compatible format, with all counts of the model. */
export function usageOf(usage: Json | undefined): JsonObject {
  const given = objectOf(usage)
  return {
    ...given,
    ...chatUsage({ prompt: countOf(given.prompt_tokens), completion: countOf(given.completion_tokens) }),
  }
}
