/**
 * The texts of `/v1/messages`: system, content blocks, documents, tool inputs and tool results. A tool's input is an
 * object, which is read as JSON. In unknown blocks, every string that may be text is included, so denied text cannot
 * leak through them.
 * Reference: https://platform.claude.com/docs/en/api/messages
 */
import { isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import { createStringReader, type TextSink, withTools } from '@gateway/contract/dialect'

/** Skips members that contain names, markers or bytes, which are never text. */
const readStrings = createStringReader(
  new Set([
    'type',
    'id',
    'name',
    'role',
    'caller',
    'cache_control',
    'tool_use_id',
    'toolset_name',
    'server_name',
    'tool_name',
    'file_id',
    'media_type',
    'data',
    'signature',
    'encrypted_content',
    'encrypted_index',
    'encrypted_stdout',
    'page_age',
  ]),
)

/** The texts of a request, including its tools. */
export const messagesRequestTexts = withTools(readRequest)

function readRequest(body: JsonObject, parts: TextPart[]): void {
  readContent(body.system, { role: 'system', path: '/system', parts })
  if (!Array.isArray(body.messages)) return
  for (const [index, message] of body.messages.entries()) {
    if (!isObject(message)) continue
    const role = typeof message.role === 'string' ? message.role : 'user'
    readContent(message.content, { role, path: `/messages/${index}/content`, parts })
  }
}

/** The texts of an answer. */
export function readMessage(body: JsonObject, parts: TextPart[]): void {
  readContent(body.content, { role: 'assistant', path: '/content', parts })
  if (isObject(body.stop_details))
    readStrings(body.stop_details.explanation, {
      role: 'assistant',
      path: '/stop_details/explanation',
      parts,
    })
}

/** A string, or a list of blocks. */
function readContent(content: Json | undefined, { role, path, parts }: TextSink): void {
  if (typeof content === 'string') parts.push({ role, text: content, path })
  if (!Array.isArray(content)) return
  for (const [index, block] of content.entries()) {
    if (isObject(block)) readBlock(block, { role, path: `${path}/${index}`, parts })
  }
}

/** The texts of one block. */
export function readBlock(block: JsonObject, sink: TextSink): void {
  const { role, path, parts } = sink
  const { type, input, ...rest } = block
  if (type === 'image' || type === 'redacted_thinking') return
  if (type === 'tool_result') {
    readContent(block.content, { role: 'tool', path: `${path}/content`, parts })
    return
  }
  if (typeof input === 'object' && input !== null)
    parts.push({ role, text: JSON.stringify(input), path: `${path}/input` })
  else readStrings(input, { role, path: `${path}/input`, parts })
  if (type === 'document') {
    readDocument(rest, sink)
    return
  }
  readStrings(rest, sink)
}

function readDocument({ source, ...rest }: JsonObject, sink: TextSink): void {
  readStrings(rest, sink)
  if (!isObject(source)) return
  const { role, path, parts } = sink
  if (source.type === 'text') readStrings(source.data, { role, path: `${path}/source/data`, parts })
  if (source.type === 'content') readContent(source.content, { role, path: `${path}/source/content`, parts })
}
