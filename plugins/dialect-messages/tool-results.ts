/**
 * Tool results → `tool` messages, which contain only text. Images and files of a result move to the following user
 * message, introduced by the id of their call. An error is marked in the text of its result.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 */
import type { JsonObject } from '@gateway/contract'
import { contentOf, type Reader, textPart } from '@gateway/contract/dialect'
import { partsOf } from './content.ts'

export interface ToolResults {
  /** One message per result, in order. */
  messages: JsonObject[]
  /** Parts for the following user message. */
  media: JsonObject[]
}

/** Translates the results of one user message. */
export function toolMessages(results: readonly [JsonObject, string][], reader: Reader): ToolResults {
  const read = results.map(([block, path]) => readResult(block, path, reader))
  return { messages: read.map(({ message }) => message), media: read.flatMap(({ media }) => media) }
}

function readResult(
  block: JsonObject,
  path: string,
  reader: Reader,
): { message: JsonObject; media: JsonObject[] } {
  const parts = partsOf(block.content, `${path}/content`, reader)
  const texts = parts.filter(({ type }) => type === 'text')
  const media = parts.filter(({ type }) => type !== 'text')
  const id = String(block.tool_use_id)
  const said = texts.length === 0 && media.length > 0 ? [textPart('The result follows.')] : texts
  const message = {
    role: 'tool',
    tool_call_id: id,
    content: contentOf(block.is_error === true ? withError(said) : said),
  }
  return { message, media: media.length === 0 ? [] : [textPart(`Result of the tool call ${id}:`), ...media] }
}

/** Marks an error result, unless its text already says so. */
function withError(parts: readonly JsonObject[]): JsonObject[] {
  const [first, ...rest] = parts
  const text = typeof first?.text === 'string' ? first.text : ''
  if (/\berror\b/i.test(text)) return [...parts]
  return [{ ...first, ...textPart(text === '' ? 'Error' : `Error: ${text}`) }, ...rest]
}
