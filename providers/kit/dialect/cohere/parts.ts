/**
 * Shared by plain answers and streams: usage, log probabilities, citations.
 * Reference: https://docs.cohere.com/reference/chat, https://docs.cohere.com/docs/rag-citations
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { urlCitation } from '../../chat/annotations.ts'
import { chatUsage } from '../../chat/answer.ts'
import { countOf, objectOf, objectsOf, textOf } from '../../chat/values.ts'

/** Unified usage: the model's input and output tokens; billed units if those are missing. */
export function unifiedUsage(given: Json | undefined, strict: boolean): JsonObject {
  const usage = objectOf(given)
  const counted = [usage.tokens, usage.billed_units].find(isObject) ?? {}
  const cached = usage.cached_tokens
  return {
    ...chatUsage({
      prompt: countOf(counted.input_tokens),
      completion: countOf(counted.output_tokens),
      cached: typeof cached === 'number' ? cached : undefined,
    }),
    ...(strict || !isObject(usage.billed_units) ? {} : { billed_units: usage.billed_units }),
  }
}

/** Log probabilities, or null. A text of several tokens has the sum of their log probabilities. */
export function unifiedLogprobs(given: Json | undefined): JsonObject | null {
  const items = objectsOf(Array.isArray(given) || given === undefined ? given : [given])
  const content = items.flatMap((item): JsonObject[] => {
    const values = (Array.isArray(item.logprobs) ? item.logprobs : []).filter(
      (value) => typeof value === 'number',
    )
    if (values.length === 0) return []
    const token = textOf(item.text)
    const logprob = values.reduce((sum, value) => sum + value, 0)
    return [{ token, logprob, bytes: [...Buffer.from(token, 'utf8')], top_logprobs: [] }]
  })
  return content.length === 0 ? null : { content }
}

/**
 * Citations of the answer's text. Sources with a URL become annotations with offsets in the whole text; without
 * strict compliance the vendor's own citations are included with all sources.
 */
export function citationMembers(
  citations: readonly JsonObject[],
  offsetOf: (contentIndex: number) => number,
  strict: boolean,
): JsonObject {
  const annotations = citations.flatMap((citation) => annotationsOf(citation, offsetOf))
  return {
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(strict || citations.length === 0 ? {} : { citations: [...citations] }),
  }
}

function annotationsOf(citation: JsonObject, offsetOf: (contentIndex: number) => number): JsonObject[] {
  const { type, start, end } = citation
  if (type !== undefined && type !== null && type !== 'TEXT_CONTENT') return []
  if (typeof start !== 'number' || typeof end !== 'number') return []
  const offset = offsetOf(countOf(citation.content_index))
  return objectsOf(citation.sources).flatMap((source): JsonObject[] => {
    const document = [source.document, source.tool_output].find(isObject) ?? {}
    const url = textOf(document.url)
    if (!/^https?:\/\//i.test(url)) return []
    return [urlCitation({ url, title: textOf(document.title), start: start + offset, end: end + offset })]
  })
}
