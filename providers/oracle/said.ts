/**
 * The content of an answer, parsed from any of the three formats, plain or as a stream event: texts, thinking, calls
 * and the finish reason.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/ChatChoice
 */
import type { Json, JsonObject } from '@gateway/contract'
import {
  type Finish,
  type FinishReason,
  objectOf,
  objectsOf,
  type TokenCounts,
  textOf,
} from '@gateway/provider-kit'

export interface Said {
  text: string
  thinking: string
  calls: SaidCall[]
}

/** Ids are empty when a format or a model returns none; arguments are text, in a stream a part of it. */
export interface SaidCall {
  id: string
  name: string
  arguments: string
}

/** The content is in a choice (generic), in the answer (Cohere's newer format), or next to it (the older one). */
export function readSaid(holder: JsonObject): Said {
  const message = objectOf(holder.message)
  const parts = typeof message.content === 'string' ? [{ text: message.content }] : objectsOf(message.content)
  const calls = [...objectsOf(message.toolCalls), ...objectsOf(holder.toolCalls)]
  return {
    text: textOf(holder.text) + parts.map((part) => textOf(part.text)).join(''),
    thinking: textOf(message.reasoningContent) + parts.map((part) => textOf(part.thinking)).join(''),
    calls: calls.map(readCall),
  }
}

function readCall(call: JsonObject): SaidCall {
  const named = objectOf(call.function)
  const given = call.arguments ?? named.arguments ?? call.parameters ?? named.parameters
  return {
    id: textOf(call.id),
    name: textOf(call.name) || textOf(named.name),
    arguments:
      typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given),
  }
}

const reasons: Readonly<Record<string, FinishReason>> = {
  complete: 'stop',
  stop: 'stop',
  stop_sequence: 'stop',
  user_cancel: 'stop',
  error_limit: 'length',
  length: 'length',
  max_output_tokens: 'length',
  max_tokens: 'length',
  function_call: 'tool_calls',
  tool_call: 'tool_calls',
  tool_calls: 'tool_calls',
  blocklist: 'content_filter',
  content_filter: 'content_filter',
  content_filtered: 'content_filter',
  error_toxic: 'content_filter',
  prohibited_content: 'content_filter',
  recitation: 'content_filter',
  safety: 'content_filter',
}

/** The finish reason; some models report a stop for an answer with calls. */
export function readFinish(given: Json | undefined, hasCalls: boolean): Finish {
  const name = textOf(given).toLowerCase()
  const reason = (Object.hasOwn(reasons, name) ? reasons[name] : undefined) ?? 'stop'
  return { reason: hasCalls && reason === 'stop' ? 'tool_calls' : reason, given: given ?? undefined }
}

/** Whether the answer ended because the model failed. */
export const isFailure = (finish: Json | undefined): boolean => textOf(finish).toUpperCase() === 'ERROR'

/** Counts are tokens. */
export function readCounts(given: Json | undefined): TokenCounts {
  const usage = objectOf(given)
  const count = (value: Json | undefined) => (typeof value === 'number' ? value : undefined)
  return {
    prompt: count(usage.promptTokens) ?? 0,
    completion: count(usage.completionTokens) ?? 0,
    cached: count(objectOf(usage.promptTokensDetails).cachedTokens),
    reasoning: count(objectOf(usage.completionTokensDetails).reasoningTokens),
  }
}
