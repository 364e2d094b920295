/**
 * The texts that an event of a message stream adds, and their paths in the whole message. A tool's input grows as JSON
 * text; citations grow into one text per block.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import type { Delta } from '@gateway/contract/dialect'
import { readBlock, readMessage } from './texts.ts'

/** The texts of one event. */
export function messageDeltas(event: JsonObject): Delta[] {
  const at = `/content/${blockIndex(event)}`
  switch (event.type) {
    case 'message_start':
      return isObject(event.message)
        ? textsOf((parts) => readMessage(event.message as JsonObject, parts))
        : []
    case 'content_block_start':
      return isObject(event.content_block) ? startDeltas(event.content_block, at) : []
    case 'content_block_delta':
      return isObject(event.delta) ? growth(event.delta, at) : []
    case 'message_delta':
      return isObject(event.delta) ? textsOf((parts) => readMessage(event.delta as JsonObject, parts)) : []
    default:
      return []
  }
}

/** Blocks that can begin with text. The others begin with an id and a name, or are results of a provider's tools. */
const begunWithText: ReadonlySet<unknown> = new Set(['text', 'thinking'])

/** The model's output, without citations, which repeat the request, and without tool results. */
export function writtenDeltas(event: JsonObject): Delta[] {
  const { type, delta, content_block: block } = event
  const isWritten =
    type === 'content_block_delta'
      ? isObject(delta) && delta.type !== 'citations_delta'
      : type === 'content_block_start' && isObject(block) && begunWithText.has(block.type)
  return isWritten ? messageDeltas(event) : []
}

/** The block that an event belongs to. */
export const blockIndex = ({ index }: JsonObject): number => (typeof index === 'number' ? index : 0)

/** Prefixes of the paths that an event completes. */
export function endedTexts(event: JsonObject): string[] {
  if (event.type === 'content_block_stop') return [`/content/${blockIndex(event)}/`]
  return event.type === 'message_delta' ? ['/content/'] : []
}

/** An empty initial input is not text, because its JSON follows. */
function startDeltas(block: JsonObject, path: string): Delta[] {
  const { input, ...rest } = block
  const isEmpty = isObject(input) && Object.keys(input).length === 0
  return textsOf((parts) => readBlock(isEmpty ? rest : block, { role: 'assistant', path, parts }))
}

function growth(delta: JsonObject, path: string): Delta[] {
  switch (delta.type) {
    case 'text_delta':
      return textDelta(`${path}/text`, delta.text)
    case 'thinking_delta':
      return textDelta(`${path}/thinking`, delta.thinking)
    case 'input_json_delta':
      return textDelta(`${path}/input`, delta.partial_json)
    case 'signature_delta':
      return []
    case 'citations_delta':
      return citationDelta(`${path}/citations`, delta)
    default:
      return textsOf((parts) => readBlock(delta, { role: 'assistant', path, parts }))
  }
}

const textDelta = (path: string, text: Json | undefined): Delta[] =>
  typeof text === 'string' && text !== '' ? [{ path, text }] : []

/** Each citation has its own line, so their texts do not run together. */
function citationDelta(path: string, { citation }: JsonObject): Delta[] {
  if (!isObject(citation)) return []
  return textsOf((parts) => readBlock(citation, { role: 'assistant', path, parts })).map(({ text }) => ({
    path,
    text: `${text}\n`,
  }))
}

function textsOf(read: (parts: TextPart[]) => void): Delta[] {
  const parts: TextPart[] = []
  read(parts)
  return parts.flatMap(({ path, text }) => (text === '' ? [] : [{ path, text }]))
}
