/**
 * What an answer says, as it streams: text, and besides it reasoning and citations (without strict compliance, in
 * `content_blocks`; citations of the web always, as annotations).
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlockDelta.html
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import { webAnnotation } from './said.ts'

export interface SaidDeltas {
  /** The delta of some text; none for no text. */
  text(block: Json | undefined, text: string): JsonObject[]
  /** The deltas of content in addition to the text. */
  extras(block: Json | undefined, delta: JsonObject): JsonObject[]
}

/** The deltas of one stream. */
export function saidDeltas({ strict }: CallContext): SaidDeltas {
  /** Where each block's text begins in the whole, in characters. */
  const starts = new Map<Json | undefined, number>()
  let length = 0

  return {
    text(block, text) {
      if (text === '') return []
      if (!starts.has(block)) starts.set(block, length)
      length += text.length
      return [{ content: text }]
    },
    extras(index, { citation, reasoningContent: reasoning }) {
      const deltas: JsonObject[] = []
      if (isObject(citation)) {
        const annotation = webAnnotation(citation, starts.get(index) ?? length, length)
        if (annotation !== null) deltas.push({ annotations: [annotation] })
        if (!strict) deltas.push({ content_blocks: [{ index, type: 'text', citations: [citation] }] })
      }
      if (strict || !isObject(reasoning)) return deltas
      return [
        ...deltas,
        ...reasoningParts(reasoning).map((part) => ({ content_blocks: [{ index, ...part }] })),
      ]
    },
  }
}

function reasoningParts({ text, signature, redactedContent }: JsonObject): JsonObject[] {
  if (typeof redactedContent === 'string') return [{ type: 'redacted_thinking', data: redactedContent }]
  const parts: JsonObject[] = []
  if (typeof text === 'string' && text !== '') parts.push({ type: 'thinking', thinking: text })
  if (typeof signature === 'string' && signature !== '') parts.push({ type: 'thinking', signature })
  return parts
}
