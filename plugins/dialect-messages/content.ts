/**
 * Content blocks → content parts: text, images by URL or base64, and documents as files or, if they contain text, as
 * text. Cache markers (`cache_control`) are kept for providers that define them. Document citations cannot be
 * requested.
 * Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: `invalid_body` for blocks without an equivalent part.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { eachBlock, type Reader, refuse, textPart } from '@gateway/contract/dialect'

/** The parts of a content that is a string or a list of blocks. */
export function partsOf(content: Json | undefined, path: string, reader: Reader): JsonObject[] {
  if (typeof content === 'string') return [textPart(content)]
  return eachBlock(content, path).flatMap(([block, at]) => blockParts(block, at, reader))
}

/** The parts of one block. */
export function blockParts(block: JsonObject, path: string, reader: Reader): JsonObject[] {
  switch (block.type) {
    case 'text':
      return [{ ...textPart(block.text), ...keptMarks(block, reader) }]
    case 'image':
      return [{ ...imagePart(sourceOf(block), path, reader), ...keptMarks(block, reader) }]
    case 'document':
      return documentParts(block, path, reader)
    case 'search_result':
      return [textPart(searchResultText(block))]
    default:
      throw refuse(reader, `${path}/type`, `a block of type ${String(block.type)} cannot be translated`)
  }
}

/** The cache marker that the caller set, for providers that define it. As it is only a hint, others do not need it. */
export const keptMarks = ({ cache_control: marker }: JsonObject, { parameters }: Reader): JsonObject =>
  isObject(marker) && parameters.has('cache_control') ? { cache_control: marker } : {}

/** Data that a chat provider attaches to a call and needs back (`extra_content`), even under strict compliance. */
export const keptExtras = ({ extra_content: extra }: JsonObject): JsonObject =>
  isObject(extra) ? { extra_content: extra } : {}

const textOf = (text: Json | undefined): string => (typeof text === 'string' ? text : '')

const sourceOf = ({ source }: JsonObject): JsonObject => (isObject(source) ? source : {})

const dataUrl = ({ media_type: type, data }: JsonObject): string =>
  `data:${textOf(type)};base64,${textOf(data)}`

function imagePart(source: JsonObject, path: string, reader: Reader): JsonObject {
  if (source.type === 'base64') return { type: 'image_url', image_url: { url: dataUrl(source) } }
  if (source.type === 'url') return { type: 'image_url', image_url: { url: textOf(source.url) } }
  throw refuse(reader, `${path}/source/type`, 'an image must be given as base64 or by URL')
}

/** The context precedes a document, and so does the title of a text document. The title of a file becomes its name. */
function documentParts(block: JsonObject, path: string, reader: Reader): JsonObject[] {
  const source = sourceOf(block)
  const { title, context } = block
  const introduced = (...lines: (Json | undefined)[]) =>
    lines.filter((line) => typeof line === 'string' && line !== '').map(textPart)
  if (source.type === 'text') return [...introduced(title, context), textPart(source.data)]
  if (source.type === 'content')
    return [...introduced(title, context), ...partsOf(source.content, `${path}/source/content`, reader)]
  const file = fileOf(source, path, reader)
  const name = typeof title === 'string' && title !== '' ? title : 'document.pdf'
  const named = file.file_id === undefined ? { filename: name, ...file } : file
  return [...introduced(context), { type: 'file', file: named, ...keptMarks(block, reader) }]
}

function fileOf(source: JsonObject, path: string, reader: Reader): JsonObject {
  if (source.type === 'base64') return { file_data: dataUrl(source) }
  if (source.type === 'url') return { file_url: textOf(source.url) }
  if (source.type === 'file') return { file_id: textOf(source.file_id) }
  throw refuse(
    reader,
    `${path}/source/type`,
    `a document of type ${String(source.type)} cannot be translated`,
  )
}

function searchResultText(block: JsonObject): string {
  const said = eachBlock(block.content, '').map(([{ text }]) => text)
  return [block.title, block.source, ...said].filter((line) => typeof line === 'string').join('\n')
}
