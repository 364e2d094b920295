/**
 * Sets cache marks for callers that set none themselves (`prompt_cache: "auto"`): on the tools, the system prompt and
 * the last turn. The vendor ignores the mark of a prefix that is too short for its cache, and looks for a cached prefix at
 * up to 20 blocks before a mark; a last turn with more blocks also gets a mark before it.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import { textOf } from '../../chat/values.ts'

const mark = { cache_control: { type: 'ephemeral' } } as const
/** Blocks before a mark at which the vendor looks for a cached prefix. */
const lookBack = 20

/** The body with marks; the same body if it already has a mark, or if the config requests none. */
export function withCacheMarks(body: JsonObject, { marksPrompt }: CallContext): JsonObject {
  if (marksPrompt !== true || hasMark(body)) return body
  const tools = listOf(body.tools)
  const toolAt = tools.findLastIndex((tool) => isObject(tool) && tool.defer_loading !== true)
  const system = markLast(typeof body.system === 'string' ? [textBlock(body.system)] : listOf(body.system))
  return {
    ...body,
    ...(toolAt === -1 ? {} : { tools: markAt(tools, toolAt) }),
    ...(system === null ? {} : { system }),
    messages: markTurns(listOf(body.messages)),
  }
}

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
const textBlock = (text: string): JsonObject => ({ type: 'text', text })

const holders = ['tools', 'system', 'messages', 'content'] as const

/** Whether the caller marks anything: a tool, a block, or the body itself. */
function hasMark(value: Json): boolean {
  if (!isObject(value)) return false
  if (value.cache_control !== undefined && value.cache_control !== null) return true
  return holders.some((name) => listOf(value[name]).some(hasMark))
}

/** Thinking cannot be marked, and empty texts are refused with a mark. */
const markable: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'tool_use',
  'tool_result',
])

const canBeMarked = (block: Json): boolean =>
  isObject(block) &&
  markable.has(textOf(block.type)) &&
  (block.type !== 'text' || textOf(block.text).trim() !== '')

function markAt(list: readonly Json[], at: number): Json[] {
  return list.map((item, index) => (index === at && isObject(item) ? { ...item, ...mark } : item))
}

/** Null if none of the blocks can be marked. */
function markLast(blocks: readonly Json[]): Json[] | null {
  const at = blocks.findLastIndex(canBeMarked)
  return at === -1 ? null : markAt(blocks, at)
}

const blocksOf = (message: Json | undefined): Json[] => {
  if (!isObject(message)) return []
  return typeof message.content === 'string' ? [textBlock(message.content)] : listOf(message.content)
}

function markTurns(messages: readonly Json[]): Json[] {
  const isUser = (message: Json) => isObject(message) && message.role === 'user'
  const last = messages.findLastIndex(isUser)
  const previous = messages.slice(0, Math.max(last, 0)).findLastIndex(isUser)
  const blocks = messages.slice(previous + 1, last + 1).flatMap(blocksOf).length
  const marked = new Set(previous !== -1 && blocks >= lookBack ? [previous, last] : [last])
  return messages.map((message, index) => {
    const content = marked.has(index) ? markLast(blocksOf(message)) : null
    return content === null || !isObject(message) ? message : { ...message, content }
  })
}
