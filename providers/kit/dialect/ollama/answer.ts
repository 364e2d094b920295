/**
 * Converts a native chat answer to a chat completion. Without strict compliance `message.content_blocks` contains the
 * thinking, and the answer its durations.
 * Reference: https://docs.ollama.com/api/chat
 * Errors: `upstream_invalid_response` for a body without a message.
 */
import { type CallContext, GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { type ChatChoice, chatCompletion } from '../../chat/answer.ts'
import { textOf } from '../../chat/values.ts'
import { durationsOf, readCalls, readEnd, unifiedLogprobs, unifiedUsage } from './parts.ts'

/** Converts an answer to a chat completion. */
export function ollamaAnswer(body: JsonObject, context: CallContext): JsonObject {
  const { message } = body
  if (!isObject(message)) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without a message.')
  }
  const text = textOf(message.content)
  const calls = readCalls(message, context)
  const thinking = context.strict ? '' : textOf(message.thinking)
  const said = text === '' ? [] : [{ type: 'text', text }]
  const choice: ChatChoice = {
    content: text === '' && calls.length > 0 ? null : text,
    calls,
    message: thinking === '' ? {} : { content_blocks: [{ type: 'thinking', thinking }, ...said] },
    finish: readEnd(body, calls.length > 0),
    logprobs: unifiedLogprobs(body.logprobs),
  }
  return chatCompletion(
    {
      id: undefined,
      model: body.model,
      choices: [choice],
      usage: unifiedUsage(body),
      extras: durationsOf(body, context),
    },
    context,
  )
}
