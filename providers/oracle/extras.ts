/**
 * Other content of an answer: sources of a web search as annotations, log probabilities, and without strict
 * compliance thinking and Cohere's citations.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/Logprobs
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import { objectOf, objectsOf, textOf } from '@gateway/provider-kit'
import type { Said } from './said.ts'

/** Members of the message in addition to its content and calls. */
export function messageExtras(holder: JsonObject, said: Said, { strict }: CallContext): JsonObject {
  const message = objectOf(holder.message)
  const annotations = objectsOf(message.annotations).map(annotation)
  const citations = [message.citations, holder.citations].find((list) => objectsOf(list).length > 0)
  const thinking: JsonObject[] = said.thinking === '' ? [] : [{ type: 'thinking', thinking: said.thinking }]
  return {
    ...(typeof message.refusal === 'string' ? { refusal: message.refusal } : {}),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(strict || thinking.length === 0
      ? {}
      : { content_blocks: [...thinking, { type: 'text', text: said.text }] }),
    ...(strict || citations === undefined ? {} : { citations }),
  }
}

function annotation(given: JsonObject): JsonObject {
  const { startIndex, endIndex, title, url } = objectOf(given.urlCitation)
  const citation = { start_index: startIndex, end_index: endIndex, title, url }
  return { type: textOf(given.type) || 'url_citation', url_citation: citation }
}

/** `{content: [...]}` built from parallel lists; null without them. */
export function readLogProbs(given: Json | undefined): Json {
  const { tokens, tokenLogprobs, topLogprobs } = objectOf(given)
  if (!Array.isArray(tokens)) return null
  const content = tokens.map((token, index): JsonObject => {
    const chosen = Array.isArray(tokenLogprobs) ? tokenLogprobs[index] : undefined
    const others = Array.isArray(topLogprobs) ? topLogprobs[index] : undefined
    return {
      ...probability(textOf(token), chosen),
      top_logprobs: isObject(others)
        ? Object.entries(others).map(([name, value]) => probability(name, value))
        : [],
    }
  })
  return { content }
}

/** The top log probabilities are returned as text. */
function probability(token: string, value: Json | undefined): JsonObject {
  const logprob = typeof value === 'string' ? Number(value) : value
  return { token, logprob: typeof logprob === 'number' ? logprob : null, bytes: [...Buffer.from(token)] }
}
