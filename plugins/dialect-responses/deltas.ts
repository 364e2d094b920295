/**
 * The texts that an event of a response stream adds, and their paths in the whole response. Streamed texts are read
 * from their deltas. Items without deltas (calls of a vendor's tools) are read when they are done.
 * Reference: https://www.openresponses.org/reference
 */

import { isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import type { Delta } from '@gateway/contract/dialect'
import { readItem, readStrings } from './texts.ts'

type PathOf = (event: JsonObject) => string

const place = (index: Json | undefined): number => (typeof index === 'number' ? index : 0)
const item: PathOf = ({ output_index: index }) => `/output/${place(index)}`
const content: PathOf = (event) => `${item(event)}/content/${place(event.content_index)}`

/** Events whose `delta` is text, with the path of the text. */
const growing: Readonly<Record<string, PathOf>> = {
  'response.output_text.delta': (event) => `${content(event)}/text`,
  'response.refusal.delta': (event) => `${content(event)}/refusal`,
  'response.reasoning_text.delta': (event) => `${content(event)}/text`,
  'response.reasoning_summary_text.delta': (event) =>
    `${item(event)}/summary/${place(event.summary_index)}/text`,
  'response.function_call_arguments.delta': (event) => `${item(event)}/arguments`,
  'response.mcp_call_arguments.delta': (event) => `${item(event)}/arguments`,
  'response.custom_tool_call_input.delta': (event) => `${item(event)}/input`,
  'response.code_interpreter_call_code.delta': (event) => `${item(event)}/code`,
  'response.audio.transcript.delta': () => '/transcript',
}

/** Items whose texts have arrived in deltas before they are done. */
const told = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call'])

const growthOf = ({ type }: JsonObject): PathOf | undefined =>
  typeof type === 'string' && Object.hasOwn(growing, type) ? growing[type] : undefined

/**
 * The model's output, without items that are done, which repeat their deltas, and without responses, which repeat the
 * request.
 */
export function writtenDeltas(event: JsonObject): Delta[] {
  const path = growthOf(event)?.(event)
  const { delta } = event
  return path !== undefined && typeof delta === 'string' && delta !== '' ? [{ path, text: delta }] : []
}

/** The texts of one event. */
export function responseDeltas(event: JsonObject): Delta[] {
  const { type } = event
  if (growthOf(event) !== undefined) return writtenDeltas(event)
  if (type === 'response.output_text.annotation.added') {
    const path = `${content(event)}/annotations/${place(event.annotation_index)}`
    return textsOf((parts) => readStrings(event.annotation, { role: 'assistant', path, parts }))
  }
  if (type !== 'response.output_item.done' || !isObject(event.item)) return []
  const { item: whole } = event
  if (typeof whole.type === 'string' && told.has(whole.type)) return []
  return textsOf((parts) => readItem(whole, item(event), parts))
}

function textsOf(read: (parts: TextPart[]) => void): Delta[] {
  const parts: TextPart[] = []
  read(parts)
  return parts.flatMap(({ path, text }) => (text === '' ? [] : [{ path, text }]))
}

/** Prefixes of the paths that an event completes. */
export function endedTexts(event: JsonObject): string[] {
  if (event.type === 'response.output_item.done') return [`${item(event)}/`]
  return event.type === 'response.content_part.done' ? [`${content(event)}/`] : []
}
