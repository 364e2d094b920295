/**
 * One part of an answer: text, a thought, a call, or something specific to the vendor's format (generated images,
 * executed code), which becomes a content block without strict compliance.
 * Reference: https://ai.google.dev/api/caching#Part
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { ToolCall } from '../../chat/tools.ts'
import { objectOf, pick, textOf } from '../../chat/values.ts'

export type Said =
  | { kind: 'text'; text: string }
  | { kind: 'call'; call: ToolCall }
  | { kind: 'block'; block: JsonObject }
  | null

/** Reads a part. Thoughts are blocks. */
export function readPart(part: Json, context: CallContext): Said {
  if (!isObject(part)) return null
  if (isObject(part.functionCall)) return { kind: 'call', call: toolCall(part, part.functionCall, context) }
  if (typeof part.text === 'string') {
    if (part.thought !== true) return { kind: 'text', text: part.text }
    return { kind: 'block', block: { type: 'thinking', thinking: part.text } }
  }
  if (isObject(part.inlineData)) {
    const block = { ...mediaBlock(part.inlineData), ...signatureExtra(part) }
    return { kind: 'block', block }
  }
  const { thoughtSignature: _, thought: __, ...rest } = part
  const [type] = Object.keys(rest)
  return type === undefined ? null : { kind: 'block', block: { type, ...rest } }
}

function toolCall(part: JsonObject, { id, name, args }: JsonObject, context: CallContext): ToolCall {
  return {
    id: textOf(id) || context.id('call_'),
    name: textOf(name),
    arguments: JSON.stringify(objectOf(args)),
    // Models from version 3 on refuse the next turn without it, so it is shown under strict compliance, too.
    extras: signatureExtra(part),
  }
}

/** A part's signature, in the same place as on the vendor's own compatible endpoint. */
export function signatureExtra({ thoughtSignature: signature }: JsonObject): JsonObject {
  return typeof signature === 'string' && signature !== ''
    ? { extra_content: { google: { thought_signature: signature } } }
    : {}
}

function mediaBlock({ mimeType, data }: JsonObject): JsonObject {
  const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream'
  const url = `data:${type};base64,${typeof data === 'string' ? data : ''}`
  return type.startsWith('image/')
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { file_data: url } }
}

/** The vendor's data about a candidate other than its content; shown without strict compliance. */
const extras = [
  'safetyRatings',
  'citationMetadata',
  'groundingMetadata',
  'urlContextMetadata',
  'finishMessage',
]

/** The vendor's metadata of a candidate, unchanged; null when it has none. */
export function metadataOf(candidate: JsonObject): JsonObject | null {
  const found = pick(candidate, extras)
  return Object.keys(found).length === 0 ? null : found
}
