/**
 * Converts chat results to chat completions. Older models answer `{response, tool_calls, usage}`, later ones use the
 * compatible format.
 * Reference: https://developers.cloudflare.com/workers-ai/models/ (each model's own page)
 * Errors: those of the envelope; `upstream_invalid_response` for a result without content.
 */
import { type CallContext, GatewayError, type Json, type JsonObject } from '@gateway/contract'
import { type ChatChoice, chatCompletion, objectOf, objectsOf, pick } from '@gateway/provider-kit'
import { readCalls } from './calls.ts'
import { finishOf, usageOf } from './finish.ts'
import { resultOf } from './result.ts'

/** The unified answer. */
export function chatAnswer(body: JsonObject, context: CallContext): JsonObject {
  const result = resultOf(body)
  const given = objectsOf(result.choices)
  return chatCompletion(
    {
      id: result.id,
      model: result.model,
      choices:
        given.length === 0
          ? [nativeChoice(result, context)]
          : given.map((choice) => compatibleChoice(choice, result, context)),
      usage: usageOf(result.usage),
      extras: pick(result, ['created', 'system_fingerprint', 'service_tier']),
    },
    context,
  )
}

/** A response as text: JSON mode returns an object, and a model that answers a number returns a number. */
export function responseText(response: Json | undefined): string | null {
  if (response === undefined || response === null) return null
  return typeof response === 'string' ? response : JSON.stringify(response)
}

function nativeChoice(result: JsonObject, context: CallContext): ChatChoice {
  const text = responseText(result.response)
  const calls = readCalls(result.tool_calls, context)
  if (text === null && calls.length === 0) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without a response.')
  }
  const { usage, finish_reason: given } = result
  return {
    content: text === '' && calls.length > 0 ? null : text,
    calls,
    finish: finishOf({ given, hasCalls: calls.length > 0, usage, request: context.request }),
  }
}

function compatibleChoice(choice: JsonObject, { usage }: JsonObject, context: CallContext): ChatChoice {
  const { role: _, content, tool_calls, ...message } = objectOf(choice.message)
  const calls = readCalls(tool_calls, context)
  const given = choice.finish_reason
  return {
    content: responseText(content),
    calls,
    message,
    finish: finishOf({ given, hasCalls: calls.length > 0, usage, request: context.request }),
    logprobs: choice.logprobs ?? null,
  }
}
