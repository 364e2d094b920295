/**
 * Chat completions from what a provider said: the specification's answer, whose form (calls or the deprecated
 * `function_call`, extras or none) follows the request.
 */
import type { CallContext, Json, JsonObject } from '@gateway/contract'
import { usesLegacyFunctions } from './legacy-functions.ts'
import type { ToolCall } from './tools.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** Why an answer ended: in our words, and in the provider's. */
export interface Finish {
  reason: FinishReason
  /** The provider's own word, shown without strict compliance; absent when it gave none. */
  given: Json | undefined
}

export interface ChatChoice {
  /** Default: its place among the choices. */
  index?: number
  /** Null when the choice holds calls only. */
  content: string | null
  calls: readonly ToolCall[]
  /** Members of the message beside those. */
  message?: JsonObject
  finish: Finish
  /** `{content: [...]}`. */
  logprobs?: Json
  /** Members of the choice beside those. */
  extras?: JsonObject
}

export interface ChatAnswer {
  id: Json | undefined
  model: Json | undefined
  choices: readonly ChatChoice[]
  usage: JsonObject
  /** Members of the answer beside those of the specification. */
  extras?: JsonObject
}

/** The chat completion that a provider's answer is. */
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
    message: { role: 'assistant', content, ...callMembers(calls, context), ...message },
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

/** The members of a choice that say why it ended. */
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
  /** Of the prompt's; absent where the provider does not say. */
  cached?: number | undefined
  /** Of the completion's; absent where the provider does not say. */
  reasoning?: number | undefined
}

/** Usage in our shape. Counts are tokens. */
export function chatUsage({ prompt, completion, cached, reasoning }: TokenCounts): JsonObject {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}
