/**
 * Estimates `/v1/messages/count_tokens` for providers that cannot count tokens, and marks the answer with
 * `x-gateway-token-count: estimate`. A token is four Latin letters, two of any other alphabet, or one character of a
 * script without spaces. An image counts as the format's largest, and a page of a document as about 50 kB.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/token-counting
 */
import { isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import { estimateTokensOf } from '@gateway/contract/dialect'
import { messagesRequestTexts } from './texts.ts'

const tokensOfMessage = 4
const tokensOfTool = 12
const tokensOfImage = 1600
/** Base64 characters per token, for 50 kB and 2000 tokens per page. */
const documentCharsOfToken = 33

/** The answer with the estimate. */
export const estimateAnswer = (body: JsonObject): JsonObject => ({ input_tokens: estimateTokens(body) })

/** Estimates the tokens of a request. */
export function estimateTokens(body: JsonObject): number {
  const parts: TextPart[] = []
  messagesRequestTexts(body, parts)
  const texts = parts.reduce((sum, { text }) => sum + estimateTokensOf(text), 0)
  const tools = Array.isArray(body.tools) ? body.tools : []
  const schemas = tools.reduce<number>(
    (sum, tool) => sum + tokensOfTool + estimateTokensOf(JSON.stringify(tool)),
    0,
  )
  const messages = Array.isArray(body.messages) ? body.messages : []
  return Math.ceil(texts + schemas + messages.length * tokensOfMessage + tokensOfMedia(messages))
}

/** Estimates images and documents at any depth. */
function tokensOfMedia(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokensOfMedia(item), 0)
  if (!isObject(value)) return 0
  if (value.type === 'image') return tokensOfImage
  if (value.type !== 'document' || !isObject(value.source)) return tokensOfMedia(value.content)
  const { type, data, content } = value.source
  if (type === 'base64' && typeof data === 'string') return data.length / documentCharsOfToken
  return tokensOfMedia(content)
}
