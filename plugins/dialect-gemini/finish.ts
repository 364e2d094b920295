/**
 * How a candidate ends: its finish reason, its log probabilities, and the sources of a search.
 * Reference: https://ai.google.dev/api/generate-content (Candidate)
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { textOf } from './parts.ts'

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['stop', 'STOP'],
  ['tool_calls', 'STOP'],
  ['function_call', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
])

/** Finish reasons of the format's vendor that are more specific than those of chat completions. */
const own: ReadonlySet<unknown> = new Set([
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'LANGUAGE',
])

/** @param hasRefused whether the model refused to answer */
export function finishReasonOf(
  { finish_reason: finish, provider_finish_reason: word }: JsonObject,
  hasRefused: boolean,
): string {
  if (typeof word === 'string' && own.has(word)) return word
  return hasRefused ? 'SAFETY' : (reasons.get(finish) ?? 'STOP')
}

/** The log probabilities of a choice or a chunk; empty without any. */
export function logprobsOf({ logprobs }: JsonObject): JsonObject {
  const content =
    isObject(logprobs) && Array.isArray(logprobs.content) ? logprobs.content.filter(isObject) : []
  if (content.length === 0) return {}
  const tops = content.map(({ top_logprobs: top }) => (Array.isArray(top) ? top.filter(isObject) : []))
  return {
    logprobsResult: {
      chosenCandidates: content.map(tokenOf),
      topCandidates: tops.map((candidates) => ({ candidates: candidates.map(tokenOf) })),
    },
  }
}

const tokenOf = ({ token, logprob }: JsonObject): JsonObject => ({ token, logProbability: logprob })

/** The sources of a text, from the annotations of a chat message; empty without any. */
export function groundingOf(annotations: Json | undefined, text: string): JsonObject {
  const given = Array.isArray(annotations) ? annotations.filter(isObject) : []
  const cited = given.flatMap(({ url_citation: citation }) => (isObject(citation) ? [citation] : []))
  if (cited.length === 0) return {}
  const groundingSupports = cited.flatMap((citation, index): JsonObject[] => {
    const { start_index: start, end_index: end } = citation
    if (typeof start !== 'number' || typeof end !== 'number') return []
    const segment = { startIndex: start, endIndex: end, text: text.slice(start, end) }
    return [{ segment, groundingChunkIndices: [index] }]
  })
  return {
    groundingMetadata: {
      groundingChunks: cited.map(({ url, title }) => ({ web: { uri: textOf(url), title: textOf(title) } })),
      ...(groundingSupports.length === 0 ? {} : { groundingSupports }),
    },
  }
}
