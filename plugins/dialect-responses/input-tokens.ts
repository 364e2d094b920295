/**
 * `POST /v1/responses/input_tokens`: counts the tokens of a create request. If the provider cannot count tokens, the
 * answer is an estimate, marked with `x-gateway-token-count: estimate`.
 * Reference: https://platform.openai.com/docs/api-reference/responses/input-tokens
 */
import type { JsonObject, TextPart } from '@gateway/contract'
import { type DialectEndpoint, withTools } from '@gateway/contract/dialect'
import type { Static } from '@sinclair/typebox'
import { inputTokensAnswer, responseInput } from './bodies.ts'
import { responsesFormat } from './format.ts'
import { recalledResponses } from './response-state.ts'
import { readResponseRequest } from './texts.ts'

const texts = withTools(readResponseRequest)
const bytesPerToken = 4
const tokensOfItem = 4

function estimateAnswer(body: JsonObject): JsonObject {
  const parts: TextPart[] = []
  texts(body, parts)
  const bytes = parts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  const items = Array.isArray(body.input) ? body.input.length : 1
  const counted: Static<typeof inputTokensAnswer> = {
    object: 'response.input_tokens',
    input_tokens: Math.ceil(bytes / bytesPerToken) + items * tokensOfItem,
  }
  return counted
}

export const responseInputTokens: DialectEndpoint = {
  id: 'countResponseTokens',
  request: responseInput,
  format: responsesFormat,
  isMetered: false,
  conversation: 'input',
  requestTexts: texts,
  responses: recalledResponses,
  translation: { kind: 'estimate', needs: ['createModelResponse', 'chatComplete'], answer: estimateAnswer },
  routes: [
    {
      serves: 'inference',
      path: '/v1/responses/input_tokens',
      operationId: 'countResponseTokens',
      summary: 'Counts the input tokens of a response',
      example: { input: 'hello' },
      tag: 'Responses',
      answer: inputTokensAnswer,
      media: { body: ['application/json'], answer: ['application/json'] },
    },
  ],
}
