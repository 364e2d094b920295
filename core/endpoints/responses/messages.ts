/**
 * Input items → chat messages. One turn of the assistant (text, reasoning, calls) becomes one message, so that the
 * results of parallel calls follow the message with the calls. Reference: https://www.openresponses.org/reference
 * Errors: `invalid_body` for items without a unified form, such as calls of a vendor's built-in tools.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '../../flow/client-dialect.ts'
import { carriedBlocks } from './carried.ts'
import { chatContent, contentParts } from './content.ts'
import { customArguments } from './custom-tools.ts'
import { flatName, readFunction } from './namespaces.ts'
import { refuse } from './refuse.ts'

/** The assistant's turn under construction. */
interface Turn {
  parts: JsonObject[]
  calls: JsonObject[]
  blocks: JsonObject[]
}

/** The messages of `input`, after the `instructions`. */
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
    // The results of a search are in the message after it.
    if (type === 'web_search_call') continue
    if (isOfAssistant(item, type)) {
      const open: Turn = turn ?? { parts: [], calls: [], blocks: [] }
      // Consecutive assistant messages stay separate, unless there are calls between them.
      const isNext = type === 'message' && open.parts.length > 0 && open.calls.length === 0
      if (isNext) endTurn()
      turn = addToTurn(isNext ? { parts: [], calls: [], blocks: [] } : open, item, type, path, context)
    } else {
      endTurn()
      messages.push(readMessage(item, type, path, context))
    }
  }
  endTurn()
  return messages
}

function typeOf(item: JsonObject): string {
  if (typeof item.type === 'string') return item.type
  return item.role === undefined && typeof item.id === 'string' ? 'item_reference' : 'message'
}

const callTypes = new Set(['function_call', 'custom_tool_call'])
const outputTypes = new Set(['function_call_output', 'custom_tool_call_output'])

const isOfAssistant = (item: JsonObject, type: string): boolean =>
  callTypes.has(type) || type === 'reasoning' || (type === 'message' && item.role === 'assistant')

function addToTurn(turn: Turn, item: JsonObject, type: string, path: string, context: DialectContext): Turn {
  if (type === 'message')
    return { ...turn, parts: [...turn.parts, ...contentParts(item.content, `${path}/content`, context)] }
  // Plain-text reasoning is only for display; only signed blocks must be returned to the provider.
  if (type === 'reasoning') return { ...turn, blocks: [...turn.blocks, ...carriedBlocks(item)] }
  return { ...turn, calls: [...turn.calls, readCall(item, path, context)] }
}

function readCall(item: JsonObject, path: string, context: DialectContext): JsonObject {
  const { call_id: id, name } = item
  const text = item.type === 'custom_tool_call' ? 'input' : 'arguments'
  const given = item[text]
  for (const [member, value] of Object.entries({ call_id: id, name, [text]: given }))
    if (typeof value !== 'string') throw refuse(context, `${path}/${member}`, 'must be a string')
  const written = text === 'input' ? customArguments(String(given)) : given
  return { id, type: 'function', function: { name: flatName(readFunction(item)), arguments: written } }
}

function turnMessage({ parts, calls, blocks }: Turn): JsonObject | null {
  if (parts.length === 0 && calls.length === 0) return null
  return {
    role: 'assistant',
    ...assistantContent(parts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(blocks.length === 0 ? {} : { content_blocks: blocks }),
  }
}

/** A turn that is only a refusal uses the member of chat answers. */
function assistantContent(parts: JsonObject[]): JsonObject {
  if (parts.length === 0) return { content: null }
  const [first] = parts
  return parts.length === 1 && first?.type === 'refusal'
    ? { content: null, refusal: first.refusal }
    : { content: chatContent(parts) }
}

const roles = ['user', 'system', 'developer']

function readMessage(item: JsonObject, type: string, path: string, context: DialectContext): JsonObject {
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
  const reason =
    type === 'item_reference'
      ? 'refers to an item that the gateway has not stored'
      : `items of type ${type} are not supported by this provider`
  throw refuse(context, type === 'item_reference' ? `${path}/id` : `${path}/type`, reason)
}
