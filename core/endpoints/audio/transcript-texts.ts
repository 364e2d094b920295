/**
 * The texts of a transcript: the whole text, and its segments and words, if requested, which repeat it. Reference:
 * https://platform.openai.com/docs/api-reference/audio/verbose-json-object
 */
import type { TextPart } from '@gateway/contract'
import { isObject, type JsonObject } from '@gateway/contract'

/** Extracts the texts of a transcription or a translation. */
export function readTranscript(body: JsonObject, parts: TextPart[]): void {
  const add = (value: unknown, path: string) => {
    if (typeof value === 'string') parts.push({ role: 'assistant', text: value, path })
  }
  add(body.text, '/text')
  for (const [list, member] of [
    ['segments', 'text'],
    ['words', 'word'],
  ] as const) {
    const items = body[list]
    if (!Array.isArray(items)) continue
    for (const [index, item] of items.entries())
      if (isObject(item)) add(item[member], `/${list}/${index}/${member}`)
  }
}
