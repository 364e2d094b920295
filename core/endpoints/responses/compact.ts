/**
 * `POST /v1/responses/compact`: compacts a conversation, at providers that support it; the result is opaque; clients
 * send it in the input of later requests to the same provider. Reference:
 * https://platform.openai.com/docs/api-reference/responses/compact
 */
import { Type } from '@sinclair/typebox'
import { declareInference } from '../declare-endpoint.ts'
import { withTools } from '../texts/read-texts.ts'
import { responsesFormat } from './format.ts'
import { responseInput } from './input-tokens.ts'
import { readResponse, readResponseRequest } from './texts.ts'

const answer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('response.compaction'),
    created_at: Type.Integer(),
    output: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })),
    usage: Type.Object({}, { additionalProperties: true }),
  },
  { additionalProperties: true },
)

export const compactResponse = declareInference({
  id: 'compactResponse',
  path: '/v1/responses/compact',
  summary: 'Compacts a conversation, at providers that support it',
  example: { input: 'hello' },
  tag: 'Responses',
  request: responseInput,
  answer,
  format: responsesFormat,
  conversation: 'input',
  requestTexts: withTools(readResponseRequest),
  answerTexts: readResponse,
  mayCache: () => false,
})
