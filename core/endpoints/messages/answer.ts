/**
 * A chat completion → a message: thinking first, then text, then tool use. Only the first of several choices is
 * returned. Reference: https://platform.claude.com/docs/en/api/messages Errors: `upstream_invalid_response` for a body
 * without a choice, and for tool arguments that are not an object.
 */
import { GatewayError, isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'
import type { DialectContext } from '../../flow/client-dialect.ts'
import { keptExtras } from './content.ts'
import { readStop } from './stop-reason.ts'
import { usageOfChat } from './usage.ts'

/** Translates a chat completion to a message. */
export function messageAnswer(body: JsonObject, context: DialectContext): JsonObject {
  const choice = Array.isArray(body.choices) ? body.choices[0] : undefined
  if (!isObject(choice) || !isObject(choice.message)) {
    throw new GatewayError('upstream_invalid_response', 'The provider returned an answer without choices.')
  }
  const { message } = choice
  const calls = toolCalls(message, context)
  const refusal = textOf(message.refusal)
  return {
    id: messageId(body.id, context),
    type: 'message',
    role: 'assistant',
    model: typeof body.model === 'string' ? body.model : context.request.model,
    content: [
      ...thinkingBlocks(message),
      ...textBlocks(message, refusal),
      ...calls.map((call) => toolUse(call, choice.finish_reason === 'length')),
    ],
    ...readStop({ choice, hasCalls: calls.length > 0, refusal, sequences: context.request.stop_sequences }),
    usage: usageOfChat(body.usage),
  }
}

/** The provider's id with the prefix that clients expect; a new id when the provider sent none. */
export function messageId(given: Json | undefined, context: DialectContext): string {
  const id = textOf(given)
  if (id.startsWith('msg_')) return id
  const own = id.replace(/^[a-z]+[-_]/, '').replace(/[^A-Za-z0-9]/g, '')
  return own === '' ? context.id('msg_') : `msg_${own}`
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The provider's own blocks, or the reasoning that many chat providers return as one text. */
function thinkingBlocks(message: JsonObject): JsonObject[] {
  const blocks = saidBlocks(message).filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
  const reasoning = reasoningOf(message)
  if (blocks.length > 0 || reasoning === '') return blocks
  return [{ type: 'thinking', thinking: reasoning, signature: '' }]
}

const saidBlocks = ({ content_blocks: blocks }: JsonObject): JsonObject[] =>
  Array.isArray(blocks) ? blocks.filter(isObject) : []

/** The reasoning of a message or a delta, under the providers' different names. */
export function reasoningOf(message: JsonObject): string {
  return textOf([message.reasoning_content, message.reasoning].find((text) => typeof text === 'string'))
}

/** With citations, when the provider also returned the text as blocks. */
function textBlocks(message: JsonObject, refusal: string): JsonObject[] {
  const content = contentText(message.content)
  const blocks = saidBlocks(message).filter(({ type }) => type === 'text')
  if (content !== '' && blocks.map(({ text }) => textOf(text)).join('') === content) return blocks
  const text = content === '' ? refusal : content
  return text === '' ? [] : [{ type: 'text', text }]
}

/** The text of a content; some providers return parts. */
export function contentText(content: Json | undefined): string {
  if (!Array.isArray(content)) return textOf(content)
  return content.map((part) => (isObject(part) ? textOf(part.text) : '')).join('')
}

interface Call {
  id: Json | undefined
  name: Json | undefined
  input: string
  extras: JsonObject
}

/** The tool calls of a message; the legacy form has a single one without an id. */
function toolCalls(message: JsonObject, context: DialectContext): Call[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : []
  if (calls.length > 0) {
    return calls.map((call) => ({ ...callOf(call.id, call.function), extras: keptExtras(call, context) }))
  }
  return isObject(message.function_call) ? [callOf('function_call_0', message.function_call)] : []
}

function callOf(id: Json | undefined, called: Json | undefined): Call {
  const { name, arguments: input } = isObject(called) ? called : {}
  return { id, name, input: isObject(input) ? JSON.stringify(input) : textOf(input), extras: {} }
}

/** @param isCut the answer hit its token limit, so truncated arguments are not an error */
function toolUse({ id, name, input, extras }: Call, isCut: boolean): JsonObject {
  const parsed = input.trim() === '' ? {} : parseJson(input)
  if (!isObject(parsed) && !isCut) {
    throw new GatewayError(
      'upstream_invalid_response',
      'The provider called a tool with arguments that are not a JSON object.',
    )
  }
  return { type: 'tool_use', id, name, input: isObject(parsed) ? parsed : {}, ...extras }
}
