/**
 * A chat completion → a message with thinking, text and tool use. Only the first of several choices is returned.
 * Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: `upstream_invalid_response` for a body without a choice, and for tool arguments that are not an object.
 */
import { GatewayError, isObject, type Json, type JsonObject, parseJson, saidInOrder } from '@gateway/contract'
import { contentText, type DialectContext, reasoningOf } from '@gateway/contract/dialect'
import { carryExtra } from './carried.ts'
import { keptExtras } from './content.ts'
import { citedBlocks, searchBlocks, sourcesOf } from './sources.ts'
import { readStop } from './stop-reason.ts'
import { messageUsageOfChat } from './usage.ts'

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
    content: contentBlocks(message, refusal, {
      calls: calls.map((call) => toolUse(call, choice.finish_reason === 'length')),
      context,
    }),
    ...readStop({ choice, hasCalls: calls.length > 0, refusal, sequences: context.request.stop_sequences }),
    ...unreported,
    usage: messageUsageOfChat(body.usage),
  }
}

/** Required members of a message that no chat provider reports. */
export const unreported = { container: null, diagnostics: null }

/** The provider's id with the prefix that clients expect; a new id if the provider sent none. */
export function messageId(given: Json | undefined, context: DialectContext): string {
  const id = textOf(given)
  if (id.startsWith('msg_')) return id
  const own = id.replace(/^[a-z]+[-_]/, '').replace(/[^A-Za-z0-9]/g, '')
  return own === '' ? context.id('msg_') : `msg_${own}`
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Blocks in the order of the answer if the provider reported it; otherwise thinking, text, calls. */
function contentBlocks(
  message: JsonObject,
  refusal: string,
  { calls, context }: { calls: readonly JsonObject[]; context: DialectContext },
): JsonObject[] {
  const content = contentText(message.content)
  const text = content === '' ? refusal : content
  const said = saidInOrder(message, text === '' ? [] : [{ text, part: { type: 'text', text } }])
  const sources = sourcesOf(message.annotations)
  let offset = 0
  const blocks = said.flatMap((item): JsonObject[] => {
    if (item.kind === 'call') return calls.slice(item.index, item.index + 1)
    if (item.kind === 'block') return isThinking(item.block) ? [item.block] : []
    const start = offset
    offset += item.text.length
    // The block has citations if the provider also returned the text as blocks.
    return item.block?.citations === undefined ? citedBlocks(item.text, sources, start) : [item.block]
  })
  const others = calls.slice(said.filter(({ kind }) => kind === 'call').length)
  const reasoning = reasoningOf(message)
  const thoughts = reasoning === '' || blocks.some(isThinking) ? [] : [thinkingBlock(reasoning)]
  const carried = isObject(message.extra_content) ? [carryExtra(message.extra_content)] : []
  const place = blocks.findLastIndex(({ type }) => type !== 'tool_use') + 1
  return [
    ...thoughts,
    ...searchBlocks(sources, context),
    ...blocks.slice(0, place),
    ...carried,
    ...blocks.slice(place),
    ...others,
  ]
}

const isThinking = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking'

/** A block for reasoning, which many chat providers return as one text. */
const thinkingBlock = (thinking: string): JsonObject => ({ type: 'thinking', thinking, signature: '' })

interface Call {
  id: Json | undefined
  name: Json | undefined
  input: string
  extras: JsonObject
}

/** An id for a call in the legacy form, which has none. It differs from those of earlier turns in the conversation. */
export function legacyId({ messages }: JsonObject): string {
  const given = Array.isArray(messages) ? messages.filter(isObject) : []
  const blocks = given.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isObject) : []))
  const earlier = blocks.filter(({ type, id }) => type === 'tool_use' && textOf(id).startsWith(legacyPrefix))
  return legacyPrefix + earlier.length
}

const legacyPrefix = 'function_call_'

/** The tool calls of a message. The legacy form has a single call without an id. */
function toolCalls(message: JsonObject, context: DialectContext): Call[] {
  const idOf = (id: Json | undefined) => textOf(id) || context.id('call_')
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : []
  if (calls.length > 0) {
    return calls.map((call) => ({ ...callOf(idOf(call.id), call.function), extras: keptExtras(call) }))
  }
  return isObject(message.function_call) ? [callOf(legacyId(context.request), message.function_call)] : []
}

function callOf(id: Json | undefined, called: Json | undefined): Call {
  const { name, arguments: input } = isObject(called) ? called : {}
  return { id, name, input: isObject(input) ? JSON.stringify(input) : textOf(input), extras: {} }
}

/** @param isCut whether the answer reached its token limit; truncated arguments are then not an error */
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
