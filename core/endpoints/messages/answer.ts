/**
 * A chat completion → a message: thinking first, then text, then tool use. Of several choices the first is told.
 * Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: `upstream_invalid_response` for a body without a choice, and for arguments of a tool that are no object.
 */
import { GatewayError, isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'
import type { DialectContext } from '../../flow/client-dialect.ts'
import { keptExtras } from './content.ts'
import { readStop } from './stop-reason.ts'
import { usageOfChat } from './usage.ts'

/** The message that a chat completion is. */
export function messageAnswer(body: JsonObject, context: DialectContext): JsonObject {
  const choice = Array.isArray(body.choices) ? body.choices[0] : undefined
  if (!isObject(choice) || !isObject(choice.message)) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without a choice.')
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

/** The provider's id under the prefix of messages, by which clients know them; a new one where it gave none. */
export function messageId(given: Json | undefined, context: DialectContext): string {
  const id = textOf(given)
  if (id.startsWith('msg_')) return id
  const own = id.replace(/^[a-z]+[-_]/, '').replace(/[^A-Za-z0-9]/g, '')
  return own === '' ? context.id('msg_') : `msg_${own}`
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Blocks as the provider gave them, or the reasoning that many chat providers give as one text. */
function thinkingBlocks(message: JsonObject): JsonObject[] {
  const blocks = saidBlocks(message).filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
  const reasoning = reasoningOf(message)
  if (blocks.length > 0 || reasoning === '') return blocks
  return [{ type: 'thinking', thinking: reasoning, signature: '' }]
}

const saidBlocks = ({ content_blocks: blocks }: JsonObject): JsonObject[] =>
  Array.isArray(blocks) ? blocks.filter(isObject) : []

/** The reasoning of a message or a delta, under the names that providers give it. */
export function reasoningOf(message: JsonObject): string {
  return textOf([message.reasoning_content, message.reasoning].find((text) => typeof text === 'string'))
}

/** With their citations, where the provider told the text in blocks as well. */
function textBlocks(message: JsonObject, refusal: string): JsonObject[] {
  const content = contentText(message.content)
  const blocks = saidBlocks(message).filter(({ type }) => type === 'text')
  if (content !== '' && blocks.map(({ text }) => textOf(text)).join('') === content) return blocks
  const text = content === '' ? refusal : content
  return text === '' ? [] : [{ type: 'text', text }]
}

/** A content's text; some providers answer with parts. */
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

/** The calls of a message; the legacy form has one, and no id. */
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

/** @param isCut the answer ended at its limit: arguments that broke off there are no fault */
function toolUse({ id, name, input, extras }: Call, isCut: boolean): JsonObject {
  const parsed = input.trim() === '' ? {} : parseJson(input)
  if (!isObject(parsed) && !isCut) {
    throw new GatewayError(
      'upstream_invalid_response',
      'The provider called a tool with arguments that are no JSON object.',
    )
  }
  return { type: 'tool_use', id, name, input: isObject(parsed) ? parsed : {}, ...extras }
}
