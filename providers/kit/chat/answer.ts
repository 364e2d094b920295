/**
 * Chat completions built from a provider's answer: the specification's format, whose details (tool calls or the
 * deprecated `function_call`, extras or none) depend on the request.
 */
import type { CallContext, Json, JsonObject } from '@gateway/contract'
import { usesLegacyFunctions } from './legacy-functions.ts'
import type { ToolCall } from './tools.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** The finish reason of an answer: the format's, and the provider's own. */
export interface Finish {
  reason: FinishReason
  /** The provider's own reason, shown without strict compliance; absent when it gave none. */
  given: Json | undefined
}

export interface ChatChoice {
  /** The index of the choice. Default: its position among the choices. */
  index?: number
  /** The text; null if the choice contains only calls. */
  content: string | null
  calls: readonly ToolCall[]
  /** Further members of the message. */
  message?: JsonObject
  finish: Finish
  /** `{content: [...]}`. */
  logprobs?: Json
  /** Further members of the choice. */
  extras?: JsonObject
}

export interface ChatAnswer {
  id: Json | undefined
  model: Json | undefined
  choices: readonly ChatChoice[]
  usage: JsonObject
  /** Members of the answer in addition to those of the specification. */
  extras?: JsonObject
}

/** Builds the chat completion of a provider's answer. */
export function chatCompletion(answer: ChatAnswer, context: CallContext): JsonObject {
  const { id, model, choices, usage, extras = {} } = answer
  return {
    id: typeof id === 'string' && id !== '' ? id : context.id('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(context.now() / 1000),
    model: typeof model === 'string' ? model : context.request.model,
    choices: choices.map((choice, position) => choiceOf(choice, position, context)),
    usage,
    ...extras,
  }
}

function choiceOf(choice: ChatChoice, position: number, context: CallContext): JsonObject {
  const { index = position, content, calls, message = {}, finish, logprobs = null, extras = {} } = choice
  return {
    index,
    message: { role: 'assistant', content, refusal: null, ...callMembers(calls, context), ...message },
    logprobs,
    ...finishMembers(finish, context),
    ...extras,
  }
}

function callMembers(calls: readonly ToolCall[], context: CallContext): JsonObject {
  const [first] = calls
  if (first === undefined) return {}
  if (usesLegacyFunctions(context.request))
    return { function_call: { ...functionOf(first), ...first.extras } }
  const tool_calls = calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: functionOf(call),
    ...call.extras,
  }))
  return { tool_calls }
}

const functionOf = (call: ToolCall): JsonObject => ({ name: call.name, arguments: call.arguments })

/** The members of a choice with its finish reasons. */
export function finishMembers({ reason, given }: Finish, context: CallContext): JsonObject {
  const isLegacy = reason === 'tool_calls' && usesLegacyFunctions(context.request)
  return {
    finish_reason: isLegacy ? 'function_call' : reason,
    ...(context.strict || given === undefined ? {} : { provider_finish_reason: given }),
  }
}

export interface TokenCounts {
  prompt: number
  completion: number
  /** Tokens of the prompt; absent when the provider does not report them. */
  cached?: number | undefined
  /** Tokens of the completion; absent when the provider does not report them. */
  reasoning?: number | undefined
}

/** Usage in the gateway's format. Counts are tokens. */
export function chatUsage({ prompt, completion, cached, reasoning }: TokenCounts): JsonObject {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}
