/**
 * Converts grounding and citations to `annotations` of type `url_citation`. The vendor's positions are bytes of UTF-8
 * text, those of annotations characters; a source without a supported passage is dropped (it is still in the vendor's
 * own metadata).
 * Reference: https://ai.google.dev/gemini-api/docs/google-search, https://ai.google.dev/api/generate-content
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { urlCitation } from '../../chat/annotations.ts'

interface Source extends JsonObject {
  url: string
  title: string
}

/** The annotations of a text. */
export function annotationsOf(candidate: JsonObject, text: string): JsonObject[] {
  const { groundingMetadata: grounding, citationMetadata: citations } = candidate
  if (!isObject(grounding) && !isObject(citations)) return []
  const bytes = Buffer.from(text, 'utf8')
  return [
    ...(isObject(grounding) ? groundingAnnotations(grounding, bytes) : []),
    ...(isObject(citations) ? citationAnnotations(citations, bytes) : []),
  ]
}

function groundingAnnotations(grounding: JsonObject, bytes: Buffer): JsonObject[] {
  const sources = listOf(grounding.groundingChunks).map(sourceOf)
  return listOf(grounding.groundingSupports).flatMap((support) => {
    const segment = isObject(support) ? support.segment : undefined
    if (!isObject(support) || !isObject(segment)) return []
    return listOf(support.groundingChunkIndices).flatMap((index) => {
      const source = typeof index === 'number' ? sources[index] : undefined
      return source === undefined || source === null ? [] : [annotation(segment, source, bytes)]
    })
  })
}

/** Both APIs return citations, with different names. */
function citationAnnotations(metadata: JsonObject, bytes: Buffer): JsonObject[] {
  const citations = [...listOf(metadata.citations), ...listOf(metadata.citationSources)]
  return citations.filter(isObject).flatMap((citation) => {
    const { uri, title } = citation
    if (typeof uri !== 'string' || uri === '') return []
    return [annotation(citation, { url: uri, title: typeof title === 'string' ? title : '' }, bytes)]
  })
}

function sourceOf(chunk: Json): Source | null {
  if (!isObject(chunk)) return null
  const holder = [chunk.web, chunk.retrievedContext, chunk.maps].find(isObject)
  if (holder === undefined || typeof holder.uri !== 'string') return null
  return { url: holder.uri, title: typeof holder.title === 'string' ? holder.title : '' }
}

function annotation(segment: JsonObject, { url, title }: Source, bytes: Buffer): JsonObject {
  const [start, end] = [characterAt(bytes, segment.startIndex), characterAt(bytes, segment.endIndex)]
  return urlCitation({ url, title, start, end })
}

function characterAt(bytes: Buffer, offset: Json | undefined): number {
  return typeof offset === 'number' ? bytes.subarray(0, Math.max(offset, 0)).toString('utf8').length : 0
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}
