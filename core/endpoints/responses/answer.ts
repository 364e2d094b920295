/**
 * A chat answer → a response: reasoning, message and calls as items, in this order.
 * Errors: `upstream_invalid_response` for an answer without a choice.
 */
import { GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '../../flow/client-dialect.ts'
import { inputOf } from './custom-tools.ts'
import {
  argumentsOf,
  callItem,
  customCallItem,
  type ItemStatus,
  itemId,
  messageItem,
  readAnnotation,
  readLogprobs,
  reasoningItem,
  refusalPart,
  responsePrefix,
  textPart,
} from './items.ts'
import { createNames } from './namespaces.ts'
import { createBlocks, thoughtsOf } from './reasoning.ts'
import { type Ending, endingOf, responseObject, usageOf } from './response-object.ts'

export function writeAnswer(answer: JsonObject, context: DialectContext): JsonObject {
  const choice = Array.isArray(answer.choices) ? answer.choices[0] : undefined
  if (!isObject(choice) || !isObject(choice.message))
    throw new GatewayError('upstream_invalid_response', 'The provider returned an answer without choices.')
  const id = context.id(responsePrefix)
  const ending = endingOf(choice.finish_reason)
  return responseObject(
    {
      id,
      createdAt: typeof answer.created === 'number' ? answer.created : Math.floor(context.now() / 1000),
      model: answer.model,
      serviceTier: answer.service_tier,
      ending,
      output: writeItems(id, choice.message, choice.logprobs, ending, context),
      usage: usageOf(answer.usage),
    },
    context,
  )
}

/** Creates an item at its output index. */
type Make = (index: number, status: ItemStatus) => JsonObject

function writeItems(
  responseId: string,
  message: JsonObject,
  logprobs: Json | undefined,
  ending: Ending,
  context: DialectContext,
): JsonObject[] {
  const calls = callsOf(message, responseId, context)
  const said = messageOf(message, logprobs, responseId)
  const makers = [...reasoningOf(message, responseId), ...said, ...calls]
  if (isSilent({ said: said.length, calls: calls.length }, ending)) makers.push(emptyMessage(responseId))
  // The last item was truncated.
  return makers.map((make, index) =>
    make(index, index === makers.length - 1 ? ending.status : ('completed' as const)),
  )
}

/** Whether a successful answer is empty: it then becomes an empty message. */
export const isSilent = (items: { said: number; calls: number }, ending: Ending): boolean =>
  items.said === 0 && items.calls === 0 && ending.status === 'completed'

const emptyMessage =
  (responseId: string): Make =>
  (index, status) =>
    messageItem(itemId('msg', responseId, index), [textPart('', [], [])], status)

function reasoningOf(message: JsonObject, responseId: string): Make[] {
  const blocks = createBlocks()
  blocks.add(message)
  const carried = blocks.take()
  const texts = thoughtsOf(message).map(({ text }) => text)
  if (texts.length === 0 && carried.length === 0) return []
  return [(index) => reasoningItem(itemId('rs', responseId, index), texts, carried)]
}

function messageOf(message: JsonObject, logprobs: Json | undefined, responseId: string): Make[] {
  const text = textOf(message.content)
  const given: Json[] = Array.isArray(message.annotations) ? message.annotations : []
  const annotations = given.map(readAnnotation).filter(isObject)
  const parts: JsonObject[] = []
  if (text !== '' || annotations.length > 0) parts.push(textPart(text, annotations, readLogprobs(logprobs)))
  if (typeof message.refusal === 'string' && message.refusal !== '') parts.push(refusalPart(message.refusal))
  if (parts.length === 0) return []
  return [(index, status) => messageItem(itemId('msg', responseId, index), parts, status)]
}

/** Some providers return a list of parts. */
export function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  const parts: Json[] = Array.isArray(content) ? content : []
  return parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

/** `max_tool_calls`: further calls are dropped. */
export const mostCalls = ({ max_tool_calls: most }: JsonObject): number =>
  typeof most === 'number' ? most : Number.POSITIVE_INFINITY

function callsOf(message: JsonObject, responseId: string, context: DialectContext): Make[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : []
  const functionOf = createNames(context.request)
  return calls.slice(0, mostCalls(context.request)).map((call) => {
    const { name, arguments: written } = isObject(call.function) ? call.function : {}
    const text = typeof written === 'string' ? written : ''
    const called = functionOf(typeof name === 'string' ? name : '')
    const callId = typeof call.id === 'string' && call.id !== '' ? call.id : context.id('call_')
    if (called.isCustom) {
      const parts = { callId, ...called, arguments: inputOf(text) }
      return (index, status) => customCallItem(itemId('ctc', responseId, index), parts, status)
    }
    const parts = { callId, ...called, arguments: argumentsOf(text) }
    return (index, status) => callItem(itemId('fc', responseId, index), parts, status)
  })
}
