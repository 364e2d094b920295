/**
 * Content of a message or of a tool's output → content parts of a chat message.
 * Reference: https://www.openresponses.org/reference
 * Errors: `invalid_body` for parts without an equivalent, including images by file id.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'
import { refuse } from './refuse.ts'

type ReadPart = (part: JsonObject, path: string, context: DialectContext) => JsonObject

const readText: ReadPart = (part, path, context) => {
  if (typeof part.text !== 'string') throw refuse(context, `${path}/text`, 'must be a string')
  return { type: 'text', text: part.text, ...breakpoint(part) }
}

const readers: Readonly<Record<string, ReadPart>> = {
  input_text: readText,
  output_text: readText,
  text: readText,
  refusal(part, path, context) {
    if (typeof part.refusal !== 'string') throw refuse(context, `${path}/refusal`, 'must be a string')
    return { type: 'refusal', refusal: part.refusal }
  },
  input_image(part, path, context) {
    const url = part.image_url
    if (typeof url !== 'string') {
      const reason = 'an image needs image_url; images by file id work only with the vendor that stores them'
      throw refuse(context, `${path}/image_url`, reason)
    }
    return { type: 'image_url', image_url: { url, ...detailOf(part) }, ...breakpoint(part) }
  },
  input_file(part, path, context) {
    const file: JsonObject = {}
    for (const member of ['file_data', 'file_id', 'file_url', 'filename'] as const)
      if (typeof part[member] === 'string') file[member] = part[member]
    const isGiven = ['file_data', 'file_id', 'file_url'].some((member) => file[member] !== undefined)
    if (!isGiven) throw refuse(context, path, 'a file requires file_data, file_url or file_id')
    return { type: 'file', file, ...breakpoint(part) }
  },
  input_audio(part, path, context) {
    if (!isObject(part.input_audio)) throw refuse(context, `${path}/input_audio`, 'must be an object')
    return { type: 'input_audio', input_audio: part.input_audio }
  },
}

/** The original resolution becomes the highest detail of chat completions. */
function detailOf({ detail }: JsonObject): JsonObject {
  if (typeof detail !== 'string') return {}
  return { detail: detail === 'original' ? 'high' : detail }
}

const breakpoint = (part: JsonObject): JsonObject =>
  part.prompt_cache_breakpoint === undefined ? {} : { prompt_cache_breakpoint: part.prompt_cache_breakpoint }

/** The parts of content that is a string or a list of parts. */
export function contentParts(content: Json | undefined, path: string, context: DialectContext): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw refuse(context, path, 'must be a string or an array of parts')
  return content.map((part, index) => {
    const at = `${path}/${index}`
    if (!isObject(part)) throw refuse(context, at, 'must be an object')
    const type = typeof part.type === 'string' ? part.type : ''
    const read = Object.hasOwn(readers, type) ? readers[type] : undefined
    if (read === undefined)
      throw refuse(context, `${at}/type`, `content of type ${type} is not supported by this provider`)
    return read(part, at, context)
  })
}

/** Converts parts to the content of a chat message. Plain text becomes a string, which every provider accepts. */
export function chatContent(parts: JsonObject[]): Json {
  const [first] = parts
  if (parts.length === 0) return ''
  const isPlain = first?.type === 'text' && first.prompt_cache_breakpoint === undefined
  return parts.length === 1 && isPlain ? (first.text ?? '') : parts
}
