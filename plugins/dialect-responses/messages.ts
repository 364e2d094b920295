/**
 * Input items → chat messages. One turn of the assistant (text, reasoning, calls) becomes one message, so that the
 * results of parallel calls follow the message with the calls. Reference: https://www.openresponses.org/reference
 * Calls of tools that the vendor runs itself are left out, because their results are in the message after them; so are items
 * of types that the gateway does not know.
 * Errors: `invalid_body` for other items without a unified form.
 */
import { customArguments, isObject, type Json, type JsonObject, replayedBlocks } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'
import { carriedBlocks } from './carried.ts'
import { clientToolOfCall, clientToolOfOutput } from './client-tools.ts'
import { isTrigger } from './compaction.ts'
import { chatContent, contentParts } from './content.ts'
import { flatName, readFunction } from './namespaces.ts'
import { refuse } from './refuse.ts'
import { isSignature } from './signature.ts'

/** The assistant's turn under construction. */
interface Turn {
  parts: JsonObject[]
  calls: JsonObject[]
  /** The whole turn in its order, with texts and calls as in `content_blocks`. */
  said: JsonObject[]
  /** Data that the provider needs back with calls or with the message. */
  signatures: JsonObject[]
}

const emptyTurn: Turn = { parts: [], calls: [], said: [], signatures: [] }

/** Translates `instructions`, followed by `input`. */
export function readMessages(body: JsonObject, context: DialectContext): JsonObject[] {
  const { instructions, input } = body
  const system = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []
  if (typeof input === 'string') return [...system, { role: 'user', content: input }]
  if (!Array.isArray(input) || input.length === 0)
    throw refuse(context, '/input', 'must be a text or a list of items')
  return [...system, ...readItems(input, context)]
}

function readItems(items: readonly Json[], context: DialectContext): JsonObject[] {
  const messages: JsonObject[] = []
  let turn: Turn | null = null
  const endTurn = () => {
    const message = turn === null ? null : turnMessage(turn)
    if (message !== null) messages.push(message)
    turn = null
  }
  for (const [index, item] of items.entries()) {
    const path = `/input/${index}`
    if (!isObject(item)) throw refuse(context, path, 'must be an object')
    const type = typeOf(item)
    if (isOfVendor(item, type) || !isKnown(type)) {
      if (!silentTypes.has(type)) context.leftOut.push(path)
      continue
    }
    if (isOfAssistant(item, type)) {
      const open: Turn = turn ?? emptyTurn
      // Consecutive assistant messages stay separate unless there are calls between them.
      const isNext = type === 'message' && open.parts.length > 0 && open.calls.length === 0
      if (isNext) endTurn()
      turn = addToTurn(isNext ? emptyTurn : open, item, { type, path, context })
    } else {
      endTurn()
      messages.push(readMessage(item, type, { path, context }))
    }
  }
  endTurn()
  const [first] = context.leftOut
  if (messages.length === 0 && first !== undefined)
    throw refuse(context, `${first}/type`, 'the input has only items that this provider does not support')
  return messages
}

function typeOf(item: JsonObject): string {
  if (typeof item.type === 'string') return item.type
  return item.role === undefined && typeof item.id === 'string' ? 'item_reference' : 'message'
}

const callTypes = new Set(['function_call', 'custom_tool_call'])
const outputTypes = new Set(['function_call_output', 'custom_tool_call_output'])

/** Items whose content is used elsewhere: sources in annotations, and tools in the tools of the request. */
const silentTypes = new Set(['web_search_call', 'additional_tools', 'tool_search_call', 'tool_search_output'])

/** Calls of tools that the vendor runs, and their results. */
const vendorTypes = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_call',
  'program',
  'program_output',
  'additional_tools',
])

/** Items without which the conversation would be a different one. */
const neededTypes = new Set(['message', 'reasoning', 'item_reference', 'compaction', 'compaction_trigger'])

const isKnown = (type: string): boolean =>
  neededTypes.has(type) ||
  callTypes.has(type) ||
  outputTypes.has(type) ||
  clientToolOfCall(type) !== undefined ||
  clientToolOfOutput(type) !== undefined

/** A search for tools runs at the vendor or at the client. */
const isOfVendor = (item: JsonObject, type: string): boolean =>
  vendorTypes.has(type) ||
  ((type === 'tool_search_call' || type === 'tool_search_output') &&
    (item.execution === 'server' || typeof item.call_id !== 'string'))

const isOfAssistant = (item: JsonObject, type: string): boolean =>
  callTypes.has(type) ||
  clientToolOfCall(type) !== undefined ||
  type === 'reasoning' ||
  (type === 'message' && item.role === 'assistant')

interface AddToTurnOptions {
  type: string
  path: string
  context: DialectContext
}

function addToTurn(turn: Turn, item: JsonObject, { type, path, context }: AddToTurnOptions): Turn {
  if (type === 'message') {
    const parts = contentParts(item.content, `${path}/content`, context)
    const texts = parts.filter((part) => part.type === 'text').map(({ text }) => ({ type: 'text', text }))
    return { ...turn, parts: [...turn.parts, ...parts], said: [...turn.said, ...texts] }
  }
  if (type === 'reasoning') {
    // Plain-text reasoning is only displayed. Only signed blocks must be returned to the provider.
    const blocks = carriedBlocks(item)
    return {
      ...turn,
      said: [...turn.said, ...blocks.filter((block) => !isSignature(block))],
      signatures: [...turn.signatures, ...blocks.filter(isSignature)],
    }
  }
  const call = readCall(item, path, context)
  return {
    ...turn,
    calls: [...turn.calls, call],
    said: [...turn.said, { type: 'tool_use', id: call.id }],
  }
}

function readCall(item: JsonObject, path: string, context: DialectContext): JsonObject {
  const { call_id: id, name } = item
  const tool = clientToolOfCall(String(item.type))
  if (tool !== undefined) {
    if (typeof id !== 'string') throw refuse(context, `${path}/call_id`, 'must be a string')
    const written = JSON.stringify(tool.read(item))
    return { id, type: 'function', function: { name: tool.type, arguments: written } }
  }
  const text = item.type === 'custom_tool_call' ? 'input' : 'arguments'
  const given = item[text]
  for (const [member, value] of Object.entries({ call_id: id, name, [text]: given }))
    if (typeof value !== 'string') throw refuse(context, `${path}/${member}`, 'must be a string')
  const written = text === 'input' ? customArguments(String(given)) : given
  return { id, type: 'function', function: { name: flatName(readFunction(item)), arguments: written } }
}

function turnMessage({ parts, calls, said, signatures }: Turn): JsonObject | null {
  if (parts.length === 0 && calls.length === 0) return null
  const blocks = replayedBlocks(said)
  const extraOf = (id: Json | undefined): JsonObject => {
    const found = signatures.findLast(({ call_id: callId }) => callId === id)
    return isObject(found?.extra_content) ? { extra_content: found.extra_content } : {}
  }
  return {
    role: 'assistant',
    ...assistantContent(parts),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => ({ ...call, ...extraOf(call.id) })) }),
    ...(blocks.length === 0 ? {} : { content_blocks: blocks }),
    ...extraOf(undefined),
  }
}

/** A turn that consists only of a refusal uses the `refusal` member of chat messages. */
function assistantContent(parts: JsonObject[]): JsonObject {
  if (parts.length === 0) return { content: null }
  const [first] = parts
  return parts.length === 1 && first?.type === 'refusal'
    ? { content: null, refusal: first.refusal }
    : { content: chatContent(parts) }
}

const roles = ['user', 'system', 'developer']

function readMessage(
  item: JsonObject,
  type: string,
  { path, context }: { path: string; context: DialectContext },
): JsonObject {
  if (type === 'message') {
    const { role } = item
    if (typeof role !== 'string' || !roles.includes(role))
      throw refuse(context, `${path}/role`, 'must be user, assistant, system or developer')
    return { role, content: chatContent(contentParts(item.content, `${path}/content`, context)) }
  }
  if (outputTypes.has(type)) {
    if (typeof item.call_id !== 'string') throw refuse(context, `${path}/call_id`, 'must be a string')
    const content = chatContent(contentParts(item.output, `${path}/output`, context))
    return { role: 'tool', tool_call_id: item.call_id, content }
  }
  const tool = clientToolOfOutput(type)
  if (tool !== undefined) {
    // Results of a local shell have the id of the call as their own id.
    const id = item.call_id ?? item.id
    if (typeof id !== 'string') throw refuse(context, `${path}/call_id`, 'must be a string')
    return { role: 'tool', tool_call_id: id, content: tool.result(item) }
  }
  if (isTrigger(item)) throw refuse(context, path, 'a compaction_trigger must be the last item')
  const reason =
    type === 'item_reference'
      ? 'refers to an item that the gateway has not stored'
      : `items of type ${type} are not supported by this provider`
  throw refuse(context, type === 'item_reference' ? `${path}/id` : `${path}/type`, reason)
}
