/**
 * Converts a v2 chat answer to a chat completion. Without strict compliance `message.content_blocks` contains the
 * thinking, and `message.citations` the original citations.
 * Reference: https://docs.cohere.com/reference/chat, https://docs.cohere.com/docs/reasoning
 * Errors: `upstream_invalid_response` for a body without a message; {@link UpstreamFault} for a failed generation.
 */
import { type CallContext, GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { type ChatChoice, chatCompletion } from '../../chat/answer.ts'
import type { ToolCall } from '../../chat/tools.ts'
import { objectOf, objectsOf, textOf } from '../../chat/values.ts'
import { readEnd } from './end.ts'
import { citationMembers, unifiedLogprobs, unifiedUsage } from './parts.ts'

/** Converts an answer to a chat completion. */
export function cohereAnswer(body: JsonObject, context: CallContext): JsonObject {
  const finish = readEnd(body.finish_reason, body.error)
  const { message } = body
  if (!isObject(message)) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without a message.')
  }
  const { content } = message
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content)
  const plan = textOf(message.tool_plan)
  const text = plan + blocks.map(blockText).join('')
  const calls = objectsOf(message.tool_calls).map((call) => readCall(call, context))
  const hasThinking = blocks.some((block) => block.type === 'thinking')
  const offsetOf = (index: number) => plan.length + blocks.slice(0, index).map(blockText).join('').length
  const choice: ChatChoice = {
    content: text === '' && calls.length > 0 ? null : text,
    calls,
    message: {
      ...citationMembers(objectsOf(message.citations), offsetOf, context.strict),
      ...(context.strict || !hasThinking ? {} : { content_blocks: blocks }),
    },
    finish,
    logprobs: unifiedLogprobs(body.logprobs),
  }
  const usage = unifiedUsage(body.usage, context.strict)
  return chatCompletion({ id: body.id, model: undefined, choices: [choice], usage }, context)
}

function blockText(block: JsonObject): string {
  return block.type === 'text' ? textOf(block.text) : ''
}

function readCall(call: JsonObject, context: CallContext): ToolCall {
  const { name, arguments: args } = objectOf(call.function)
  return {
    id: textOf(call.id) || context.id('call_'),
    name: textOf(name),
    arguments: isNoArguments(textOf(args)) ? '{}' : textOf(args),
  }
}

/** A function without parameters is called without arguments, or with `null`. */
const isNoArguments = (text: string): boolean => /^\s*(?:null)?\s*$/.test(text)
