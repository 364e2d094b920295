/**
 * Streamed content: text, and reasoning and citations (in `content_blocks` without strict compliance; web citations
 * always, as annotations).
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlockDelta.html
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import { blockDeltas } from '../../chat/block-deltas.ts'
import { webAnnotation } from './said.ts'

export interface SaidDeltas {
  /** The delta for a text; none for an empty text. */
  text(block: Json | undefined, text: string): JsonObject[]
  /** Called when a tool call begins. */
  call(block: Json | undefined, id: string): void
  /** The deltas for content other than text. */
  extras(block: Json | undefined, delta: JsonObject): JsonObject[]
}

/** The deltas of one stream. */
export function saidDeltas({ strict }: CallContext): SaidDeltas {
  /** The offset of each block's text in the whole text, in characters. */
  const starts = new Map<Json | undefined, number>()
  let length = 0
  const blocks = blockDeltas()

  return {
    text(block, text) {
      if (text === '') return []
      if (!starts.has(block)) starts.set(block, length)
      length += text.length
      return [{ content: text, ...(strict ? {} : blocks.text(block, text)) }]
    },
    call: (block, id) => blocks.call(block, id),
    extras(index, { citation, reasoningContent: reasoning }) {
      const deltas: JsonObject[] = []
      if (isObject(citation)) {
        const annotation = webAnnotation(citation, starts.get(index) ?? length, length)
        if (annotation !== null) deltas.push({ annotations: [annotation] })
        if (!strict) deltas.push({ content_blocks: [{ index, type: 'text', citations: [citation] }] })
      }
      if (strict || !isObject(reasoning)) return deltas
      return [...deltas, ...reasoningParts(reasoning).map((part) => blocks.block(index, part))]
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
