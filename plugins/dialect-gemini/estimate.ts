/**
 * Estimates `countTokens` for providers that cannot count tokens, and marks the answer with `x-gateway-token-count:
 * estimate`. An image counts as 258 tokens, as documented by the format's vendor.
 * Reference: https://ai.google.dev/gemini-api/docs/tokens
 */
import type { JsonObject, TextPart } from '@gateway/contract'
import { eachObject, estimateTokensOf } from '@gateway/contract/dialect'
import { contentRequestTexts } from './texts.ts'

const tokensOfContent = 4
const tokensOfMedia = 258

/** The answer with the estimate. */
export function estimateAnswer(body: JsonObject): JsonObject {
  const texts: TextPart[] = []
  contentRequestTexts(body, texts)
  let tokens = texts.reduce((sum, { text }) => sum + estimateTokensOf(text), 0)
  eachObject(body.contents, ({ parts }) => {
    tokens += tokensOfContent
    eachObject(parts, ({ inlineData, fileData }) => {
      if (inlineData !== undefined || fileData !== undefined) tokens += tokensOfMedia
    })
  })
  return { totalTokens: Math.ceil(tokens) }
}
