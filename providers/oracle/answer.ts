/**
 * Converts a chat result to a chat completion.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/ChatResult/Chat
 * Errors: `upstream_invalid_response` for a body without an answer; {@link UpstreamFault} for one that failed.
 */
import { type CallContext, GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { type ChatChoice, chatCompletion, chatUsage, objectsOf, type ToolCall } from '@gateway/provider-kit'
import { failedAnswer } from './errors.ts'
import { messageExtras, readLogProbs } from './extras.ts'
import { isFailure, readCounts, readFinish, readSaid } from './said.ts'

/** Converts a result to a chat completion. */
export function oracleAnswer(body: JsonObject, context: CallContext): JsonObject {
  const response = body.chatResponse
  if (!isObject(response)) throw unreadable()
  // The generic format has a list of choices; Cohere's formats have one choice.
  const holders = response.choices === undefined ? [response] : objectsOf(response.choices)
  if (holders.length === 0) throw unreadable()
  return chatCompletion(
    {
      id: response.id,
      model: body.modelId,
      choices: holders.map((holder) => readChoice(holder, context)),
      usage: chatUsage(readCounts(response.usage)),
    },
    context,
  )
}

function readChoice(holder: JsonObject, context: CallContext): ChatChoice {
  if (isFailure(holder.finishReason)) throw failedAnswer(holder)
  const said = readSaid(holder)
  const calls = said.calls.map(
    (call): ToolCall => ({
      id: call.id === '' ? context.id('call_') : call.id,
      name: call.name,
      arguments: call.arguments === '' ? '{}' : call.arguments,
    }),
  )
  return {
    content: said.text === '' && calls.length > 0 ? null : said.text,
    calls,
    message: messageExtras(holder, said, context),
    finish: readFinish(holder.finishReason, calls.length > 0),
    logprobs: readLogProbs(holder.logprobs),
  }
}

function unreadable(): GatewayError {
  return new GatewayError('upstream_invalid_response', 'The provider answered without a chat response.')
}
