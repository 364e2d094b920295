/**
 * Converts the sources of a chat answer (`annotations`) to this format: the call of the web search with its results, if
 * the caller offered one, and citations on the passages. Members that only the vendor can read begin with the gateway's
 * mark and are not sent back to the vendor.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 */
import { carriedMark, carriedSearch, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'
import { isWebSearch } from './web-search.ts'

export interface Source {
  url: string
  title: string
  /** Offsets of the passage in the answer's text; null if the provider gave none. */
  passage: { start: number; end: number } | null
}

/** The web sources among annotations. */
export function sourcesOf(annotations: Json | undefined): Source[] {
  const given = Array.isArray(annotations) ? annotations.filter(isObject) : []
  return given.flatMap(({ url_citation: citation }): Source[] => {
    if (!isObject(citation) || typeof citation.url !== 'string' || citation.url === '') return []
    const { url, title, start_index: start, end_index: end } = citation
    const passage =
      typeof start === 'number' && typeof end === 'number' && start < end ? { start, end } : null
    return [{ url, title: typeof title === 'string' ? title : '', passage }]
  })
}

/** A citation of a text block, without an excerpt of the source, which providers do not return. */
export const citationOf = ({ url, title }: Source): JsonObject => ({
  type: 'web_search_result_location',
  url,
  title,
  cited_text: '',
  encrypted_index: carriedMark,
})

/**
 * Splits a text into blocks, one per passage, with the citations that support it. @param offset offset of the text in
 * the answer
 */
export function citedBlocks(text: string, sources: readonly Source[], offset: number): JsonObject[] {
  const end = text.length
  const within = ({ passage }: Source) => {
    const [from, to] = passage === null ? [0, end] : [passage.start - offset, passage.end - offset]
    return { from: Math.max(from, 0), to: Math.min(to, end) }
  }
  const placed = sources.map((source) => ({ source, ...within(source) })).filter(({ from, to }) => from < to)
  if (placed.length === 0) return [{ type: 'text', text }]
  const cuts = [...new Set([0, end, ...placed.flatMap(({ from, to }) => [from, to])])].toSorted(
    (a, b) => a - b,
  )
  return cuts.slice(0, -1).map((start, index) => {
    const citations = placed.filter(({ from, to }) => from <= start && start < to)
    return {
      type: 'text',
      text: text.slice(start, cuts[index + 1]),
      ...(citations.length === 0 ? {} : { citations: citations.map(({ source }) => citationOf(source)) }),
    }
  })
}

/** The call of the search that found the sources; empty if the caller offered no search. */
export function searchBlocks(sources: readonly Source[], context: DialectContext): JsonObject[] {
  const { tools } = context.request
  const tool = Array.isArray(tools) ? tools.filter(isObject).find(isWebSearch) : undefined
  if (tool === undefined || sources.length === 0) return []
  const id = context.id(carriedSearch)
  const found = new Map(sources.map((source) => [source.url, source]))
  const results = [...found.values()].map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title,
    encrypted_content: carriedMark,
    page_age: null,
  }))
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: id, content: results },
  ]
}
