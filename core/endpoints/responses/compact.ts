/**
 * `POST /v1/responses/compact`: compacts a conversation to the user's messages and one opaque item, which clients send
 * in the input of later requests. A provider's own item is for that provider; for the others, the gateway has a model
 * write a summary, which every provider can read. Reference:
 * https://platform.openai.com/docs/api-reference/responses/compact
 */
import { withTools } from '@gateway/contract/dialect'
import { Type } from '@sinclair/typebox'
import { declareInference } from '../declare-endpoint.ts'
import { compactDialect } from './compact-dialect.ts'
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
  summary: 'Compacts a conversation',
  description:
    'Answers with the messages of the user and one `compaction` item in place of the other turns: send both in the input of later requests. At providers without this endpoint the model writes a summary, which the gateway seals into the item; it can be sent to every provider of the workspace.',
  example: { input: 'hello' },
  tag: 'Responses',
  request: responseInput,
  answer,
  format: responsesFormat,
  conversation: 'input',
  requestTexts: withTools(readResponseRequest),
  answerTexts: readResponse,
  recallsResponses: true,
  mayCache: () => false,
  translation: { kind: 'chat', needs: ['chatComplete'], dialect: compactDialect },
})
