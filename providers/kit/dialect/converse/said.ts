/**
 * Content other than text and tool calls, in the blocks that `content_blocks` has for every provider: thinking,
 * redacted thinking, text with citations; and web citations as annotations.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ReasoningContentBlock.html,
 * …/API_runtime_CitationsContentBlock.html
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { urlCitation } from '../../chat/annotations.ts'
import { textOf } from '../../chat/values.ts'

/** The text of a block; empty for other blocks. */
export function textOfBlock(block: JsonObject): string {
  if (typeof block.text === 'string') return block.text
  const cited = isObject(block.citationsContent) ? block.citationsContent.content : undefined
  if (!Array.isArray(cited)) return ''
  return cited.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

/** A block of the answer as a block of `content_blocks`. */
export function saidBlock(block: JsonObject): JsonObject {
  if (isObject(block.reasoningContent)) return reasoningOf(block.reasoningContent)
  if (isObject(block.citationsContent)) {
    return { type: 'text', text: textOfBlock(block), citations: block.citationsContent.citations ?? [] }
  }
  if (typeof block.text === 'string') return { type: 'text', text: block.text }
  const [kind = 'unknown'] = Object.keys(block)
  return { type: kind, ...block }
}

function reasoningOf(reasoning: JsonObject): JsonObject {
  if (typeof reasoning.redactedContent === 'string') {
    return { type: 'redacted_thinking', data: reasoning.redactedContent }
  }
  const { text, signature } = isObject(reasoning.reasoningText) ? reasoning.reasoningText : {}
  return { type: 'thinking', thinking: text ?? '', signature: signature ?? '' }
}

/** The annotation of a web citation, for text between these offsets (characters); null for other citations. */
export function webAnnotation(citation: Json, start: number, end: number): JsonObject | null {
  if (!isObject(citation) || !isObject(citation.location) || !isObject(citation.location.web)) return null
  const { url, domain } = citation.location.web
  if (typeof url !== 'string') return null
  const title = textOf(citation.title) || textOf(domain) || url
  return urlCitation({ url, title, start, end })
}

/** The annotations of an answer's blocks, with their offsets in the whole text. */
export function annotationsOf(blocks: readonly JsonObject[]): JsonObject[] {
  let end = 0
  return blocks.flatMap((block) => {
    const start = end
    end += textOfBlock(block).length
    const { citations } = isObject(block.citationsContent) ? block.citationsContent : {}
    const given = Array.isArray(citations) ? citations : []
    return given.flatMap((citation): JsonObject[] => {
      const annotation = webAnnotation(citation, start, end)
      return annotation === null ? [] : [annotation]
    })
  })
}
