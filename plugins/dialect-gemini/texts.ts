/**
 * The texts of contents and answers: text and thoughts, arguments as JSON, the strings of results, code and its output,
 * and thoughts that a signature carries for another provider. In unknown parts, every string that may be text is
 * included, so denied text cannot leak through them.
 * Reference: https://ai.google.dev/api/caching#Part
 */
import { isObject, type Json, type JsonObject, readCarriedSignature, type TextPart } from '@gateway/contract'
import { createStringReader, eachObject, type TextSink, withTools } from '@gateway/contract/dialect'

/** Skips members that contain names, markers or bytes, which are never text. */
const readStrings = createStringReader(
  new Set([
    'id',
    'name',
    'role',
    'language',
    'outcome',
    'mimeType',
    'fileUri',
    'displayName',
    'data',
    'thoughtSignature',
    'videoMetadata',
    'mediaResolution',
    'partMetadata',
  ]),
)

/** The texts of a request, including its tools. */
export const contentRequestTexts = withTools((body, parts) => {
  if (isObject(body.systemInstruction))
    readContent(body.systemInstruction, { role: 'system', path: '/systemInstruction', parts })
  eachObject(body.contents, (content, index) =>
    readContent(content, { role: roleOf(content), path: `/contents/${index}`, parts }),
  )
})

/** The texts of an answer. */
export function readAnswer(body: JsonObject, parts: TextPart[]): void {
  eachObject(body.candidates, (candidate, index) => {
    const path = `/candidates/${index}`
    if (isObject(candidate.content))
      readContent(candidate.content, { role: 'assistant', path: `${path}/content`, parts })
    readStrings(candidate.finishMessage, { role: 'assistant', path: `${path}/finishMessage`, parts })
  })
}

/** The texts to embed, from one content or from a list of requests. */
export function embedTexts(body: JsonObject, parts: TextPart[]): void {
  readEmbedded(body, '', parts)
  eachObject(body.requests, (request, index) => readEmbedded(request, `/requests/${index}`, parts))
}

function readEmbedded({ content, title }: JsonObject, path: string, parts: TextPart[]): void {
  if (isObject(content)) readContent(content, { role: 'input', path: `${path}/content`, parts })
  readStrings(title, { role: 'input', path: `${path}/title`, parts })
}

/** The role as other formats name it. A content without a role is the user's. */
function roleOf({ role }: JsonObject): string {
  if (role === 'model') return 'assistant'
  return typeof role === 'string' && role !== '' && role !== 'function' ? role : 'user'
}

function readContent({ parts: list }: JsonObject, { role, path, parts }: TextSink): void {
  eachObject(list, (part, index) => readPart(part, { role, path: `${path}/parts/${index}`, parts }))
}

/** The texts of one part. */
export function readPart(part: JsonObject, sink: TextSink): void {
  const { role, path, parts } = sink
  const { functionCall: call, functionResponse: result, thoughtSignature: signature, ...rest } = part
  readStrings(rest, sink)
  for (const thinking of carriedThoughts(signature))
    parts.push({ role, text: thinking, path: `${path}/thoughtSignature` })
  if (isObject(call)) {
    const { args, ...others } = call
    if (isObject(args)) parts.push({ role, text: JSON.stringify(args), path: `${path}/functionCall/args` })
    readStrings(others, { role, path: `${path}/functionCall`, parts })
  }
  if (isObject(result)) readStrings(result, { role: 'tool', path: `${path}/functionResponse`, parts })
}

/** Thoughts of another provider, which needs them back. */
function carriedThoughts(signature: Json | undefined): string[] {
  const blocks = readCarriedSignature(signature)?.blocks
  if (!Array.isArray(blocks)) return []
  const thoughts = blocks.map((block) => (isObject(block) ? block.thinking : undefined))
  const text = thoughts.filter((thinking) => typeof thinking === 'string' && thinking !== '').join('\n')
  return text === '' ? [] : [text]
}
