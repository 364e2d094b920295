/**
 * Converts content that is a list of parts, which some reasoning models return: callers get its text as `content` and
 * its thinking as `reasoning_content`. Without strict compliance, `content_blocks` contains all parts in order.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { RepairContext } from '@gateway/contract/dialect'

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** A text, or the joined texts of a list of parts. */
function joinedText(value: Json | undefined): string {
  if (!Array.isArray(value)) return textOf(value)
  return value.map((part) => (isObject(part) ? textOf(part.text) : textOf(part))).join('')
}

/** A part as a content block; parts of other types are unchanged. */
function blockOf(part: Json): JsonObject[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }]
  if (!isObject(part)) return []
  const { type, thinking, text, signature } = part
  if (type === 'thinking') {
    const signed = typeof signature === 'string' ? { signature } : {}
    return [{ type, thinking: joinedText(thinking), ...signed }]
  }
  return [type === 'text' ? { type, text: textOf(text) } : part]
}

interface Content {
  text: string
  thinking: string
  blocks: JsonObject[]
}

function readParts(parts: readonly Json[]): Content {
  const blocks = parts.flatMap(blockOf)
  const all = (member: 'text' | 'thinking') => blocks.map((block) => textOf(block[member])).join('')
  return { text: all('text'), thinking: all('thinking'), blocks }
}

/** The thinking, unless the answer also has it as text. */
const reasoningOf = (said: JsonObject, { thinking }: Content): JsonObject =>
  thinking === '' || typeof said.reasoning_content === 'string' ? {} : { reasoning_content: thinking }

/** The message of a whole answer, with text as its content. */
export function withTextContent(message: JsonObject, { strict }: RepairContext): JsonObject {
  const { content: parts } = message
  if (!Array.isArray(parts)) return message
  const content = readParts(parts)
  const isSilent = content.text === '' && Array.isArray(message.tool_calls) && message.tool_calls.length > 0
  const isPlain = content.blocks.every(({ type }) => type === 'text')
  return {
    ...message,
    content: isSilent ? null : content.text,
    ...reasoningOf(message, content),
    ...(strict || isPlain || message.content_blocks !== undefined ? {} : { content_blocks: content.blocks }),
  }
}

/** Reads the deltas of one choice. */
export function createContentParts({ strict }: RepairContext): (delta: JsonObject) => JsonObject {
  let index = -1
  let kind = ''

  /** Texts and thinking continue the block before them, if it is of their type. */
  function numbered(block: JsonObject): JsonObject {
    const type = textOf(block.type)
    if (type !== kind || (type !== 'text' && type !== 'thinking')) index += 1
    kind = type
    return { index, ...block }
  }

  return (delta) => {
    // Nearly every delta has a text, and `rest` is a copy.
    if (!Array.isArray(delta.content)) return delta
    const { content: parts, ...rest } = delta
    const content = readParts(parts)
    const blocks = content.blocks.map(numbered)
    const isPlain = index <= 0 && kind === 'text'
    return {
      ...rest,
      ...(content.text === '' ? {} : { content: content.text }),
      ...reasoningOf(delta, content),
      ...(strict || isPlain || blocks.length === 0 ? {} : { content_blocks: blocks }),
    }
  }
}
