/**
 * `POST /v1/responses/input_tokens`: counts the tokens of a create request; an estimate when the provider has no token
 * count, marked by `x-gateway-token-count: estimate`. Reference:
 * https://platform.openai.com/docs/api-reference/responses/input-tokens
 */
import type { JsonObject, TextPart } from '@gateway/contract'
import { withTools } from '@gateway/contract/dialect'
import { type Static, Type } from '@sinclair/typebox'
import { declareInference } from '../declare-endpoint.ts'
import { responsesFormat } from './format.ts'
import { readResponseRequest } from './texts.ts'

const object = 'response.input_tokens'

const answer = Type.Object(
  { object: Type.Literal(object), input_tokens: Type.Integer() },
  { additionalProperties: true },
)

/** As for create requests; a provider with a token count validates the rest. */
export const responseInput = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1 })),
    input: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.Object({}, { additionalProperties: true })), Type.Null()]),
    ),
    instructions: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    previous_response_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: true },
)

const texts = withTools(readResponseRequest)
const bytesPerToken = 4
const tokensOfItem = 4

function estimateAnswer(body: JsonObject): JsonObject {
  const parts: TextPart[] = []
  texts(body, parts)
  const bytes = parts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  const items = Array.isArray(body.input) ? body.input.length : 1
  const counted: Static<typeof answer> = {
    object,
    input_tokens: Math.ceil(bytes / bytesPerToken) + items * tokensOfItem,
  }
  return counted
}

export const responseInputTokens = declareInference({
  id: 'countResponseTokens',
  path: '/v1/responses/input_tokens',
  summary: 'Counts the input tokens of a response',
  example: { input: 'hello' },
  tag: 'Responses',
  request: responseInput,
  answer,
  format: responsesFormat,
  isMetered: false,
  conversation: 'input',
  requestTexts: texts,
  recallsResponses: true,
  translation: { kind: 'estimate', needs: ['createModelResponse', 'chatComplete'], answer: estimateAnswer },
})
