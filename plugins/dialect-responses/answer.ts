/**
 * A chat answer → a response with reasoning, messages and calls as items, in the order of the answer if the provider
 * reported it. Errors: `upstream_invalid_response` for an answer without a choice.
 */
import {
  GatewayError,
  inputOf,
  isObject,
  type Json,
  type JsonObject,
  type Said,
  saidInOrder,
} from '@gateway/contract'
import { createBlocks, type DialectContext, thoughtsOf } from '@gateway/contract/dialect'
import { writtenArguments } from './client-tools.ts'
import {
  argumentsOf,
  callItem,
  clientCallItem,
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
import { type CalledFunction, createNames } from './namespaces.ts'
import { type Ending, endingOf, responseObject, usageOf } from './response-object.ts'
import { signatureBlock } from './signature.ts'

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
      output: writeItems(id, choice.message, { logprobs: choice.logprobs, ending, context }),
      usage: usageOf(answer.usage),
    },
    context,
  )
}

/** Creates an item at its output index. */
type Make = (index: number, status: ItemStatus) => JsonObject

interface WriteItemsOptions {
  logprobs: Json | undefined
  ending: Ending
  context: DialectContext
}

function writeItems(
  responseId: string,
  message: JsonObject,
  { logprobs, ending, context }: WriteItemsOptions,
): JsonObject[] {
  const calls = callsOf(message, responseId, context)
  const text = textOf(message.content)
  const said = saidInOrder(message, text === '' ? [] : [{ text, part: { type: 'text', text } }])
  const makers: Make[] = []
  const messages = messageMakers(message, logprobs, responseId)
  const reasoning = reasoningMakers(message, responseId)
  if (isObject(message.extra_content)) reasoning.carry(signatureBlock(message.extra_content))
  const endReasoning = () => makers.push(...reasoning.take())
  for (const [position, item] of said.entries()) {
    if (item.kind === 'block') {
      makers.push(...messages.take(false))
      reasoning.add(item.block)
    } else if (item.kind === 'text') {
      endReasoning()
      messages.add(item.text)
    } else {
      const call = calls[item.index]
      if (messages.isRefusal()) endReasoning()
      makers.push(...messages.take(isLastText(said, position)))
      if (call?.extra != null) reasoning.carry(signatureBlock(call.extra, call.id))
      endReasoning()
      if (call !== undefined) makers.push(call.make)
    }
  }
  endReasoning()
  makers.push(...messages.take(true))
  const count = { said: messages.count(), calls: calls.length }
  if (isSilent(count, ending)) makers.push(emptyMessage(responseId))
  // Only the last item can be truncated.
  return makers.map((make, index) =>
    make(index, index === makers.length - 1 ? ending.status : ('completed' as const)),
  )
}

/** Whether a successful answer is empty. It then becomes an empty message. */
export const isSilent = (items: { said: number; calls: number }, ending: Ending): boolean =>
  items.said === 0 && items.calls === 0 && ending.status === 'completed'

const emptyMessage =
  (responseId: string): Make =>
  (index, status) =>
    messageItem(itemId('msg', responseId, index), [textPart('', [], [])], status)

/** Whether no text follows this item. */
const isLastText = (said: readonly Said[], position: number): boolean =>
  said.slice(position).every(({ kind }) => kind !== 'text')

/** Creates reasoning items from the blocks of a message, or from its reasoning as text. */
function reasoningMakers(message: JsonObject, responseId: string) {
  const blocks = createBlocks()
  let texts: string[] = []
  // Some providers return the same reasoning as text and as blocks.
  const plain = thoughtsOf({ ...message, content_blocks: [] }).map(({ text }) => text)
  const hasThoughts = thoughtsOf({ content_blocks: message.content_blocks ?? [] }).length > 0
  let isPlain = plain.length > 0 && !hasThoughts
  let hasBlocks = false
  let number = 0
  return {
    carry(block: JsonObject) {
      hasBlocks = true
      blocks.carry(block)
    },
    add(block: JsonObject) {
      const delta = { content_blocks: [{ ...block, index: number++ }] }
      hasBlocks = blocks.add(delta) || hasBlocks
      texts.push(...thoughtsOf(delta).map(({ text }) => text))
    },
    take(): Make[] {
      const summary = isPlain ? [...plain, ...texts] : texts
      if (summary.length === 0 && !hasBlocks) return []
      const carried = blocks.take()
      isPlain = false
      texts = []
      hasBlocks = false
      return [(index) => reasoningItem(itemId('rs', responseId, index), summary, carried)]
    },
  }
}

/** Creates message items from pieces of the text. The last one contains the refusal. */
function messageMakers(message: JsonObject, logprobs: Json | undefined, responseId: string) {
  const given: Json[] = Array.isArray(message.annotations) ? message.annotations : []
  const annotations = given.map(readAnnotation).filter(isObject)
  const refusal = typeof message.refusal === 'string' ? message.refusal : ''
  let text = ''
  let start = 0
  let count = 0
  return {
    count: () => count,
    /** Whether the next message contains only the refusal. */
    isRefusal: () => text === '' && refusal !== '' && count === 0,
    add(piece: string) {
      text += piece
    },
    take(isLast: boolean): Make[] {
      const parts: JsonObject[] = []
      const cited = annotationsIn(annotations, start, isLast ? Number.POSITIVE_INFINITY : start + text.length)
      if (text !== '' || cited.length > 0)
        parts.push(textPart(text, cited, start === 0 ? readLogprobs(logprobs) : []))
      if (isLast && refusal !== '' && count === 0) parts.push(refusalPart(refusal))
      start += text.length
      text = ''
      if (parts.length === 0) return []
      count += 1
      return [(index, status) => messageItem(itemId('msg', responseId, index), parts, status)]
    },
  }
}

/**
 * The annotations of a passage, with offsets relative to it. Annotations without offsets belong to the first passage.
 */
function annotationsIn(annotations: readonly JsonObject[], start: number, end: number): JsonObject[] {
  return annotations.flatMap((annotation): JsonObject[] => {
    const { start_index: from = 0, end_index: to } = annotation
    if (typeof from !== 'number' || from < start || from >= end) return []
    if (start === 0) return [annotation]
    return [
      {
        ...annotation,
        start_index: from - start,
        ...(typeof to === 'number' ? { end_index: to - start } : {}),
      },
    ]
  })
}

/** Some providers return a list of parts instead of a string. */
export function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  const parts: Json[] = Array.isArray(content) ? content : []
  return parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

/** The maximum number of calls (`max_tool_calls`); further calls are dropped. */
export const mostCalls = ({ max_tool_calls: most }: JsonObject): number =>
  typeof most === 'number' ? most : Number.POSITIVE_INFINITY

interface CallMaker {
  id: string
  extra: JsonObject | null
  make: Make
}

interface ItemPlace {
  responseId: string
  index: number
  status: ItemStatus
}

/** The item of a call of a client tool, a custom tool, or a function. */
function itemOf(
  called: CalledFunction,
  { callId, text }: { callId: string; text: string },
  { responseId, index, status }: ItemPlace,
): JsonObject {
  const { tool } = called
  if (tool !== undefined) {
    const parts = { tool, callId, args: writtenArguments(text) }
    return clientCallItem(itemId(tool.prefix, responseId, index), parts, status)
  }
  if (called.isCustom)
    return customCallItem(
      itemId('ctc', responseId, index),
      { callId, ...called, arguments: inputOf(text) },
      status,
    )
  return callItem(
    itemId('fc', responseId, index),
    { callId, ...called, arguments: argumentsOf(text) },
    status,
  )
}

function callsOf(message: JsonObject, responseId: string, context: DialectContext): CallMaker[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : []
  const functionOf = createNames(context.request)
  return calls.slice(0, mostCalls(context.request)).map((call) => {
    const { name, arguments: written } = isObject(call.function) ? call.function : {}
    const text = typeof written === 'string' ? written : ''
    const called = functionOf(typeof name === 'string' ? name : '')
    const id = typeof call.id === 'string' && call.id !== '' ? call.id : context.id('call_')
    return {
      id,
      extra: isObject(call.extra_content) ? call.extra_content : null,
      make: (index, status) => itemOf(called, { callId: id, text }, { responseId, index, status }),
    }
  })
}
