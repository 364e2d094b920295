/**
 * `POST /v1/responses/compact`: compacts a conversation to the user's messages and one opaque item, which clients send
 * in the input of later requests. Only the provider that created its own item can read it. For other providers, the
 * gateway asks a model for a summary, which every provider can read.
 * Reference: https://platform.openai.com/docs/api-reference/responses/compact
 */
import { type DialectEndpoint, withTools } from '@gateway/contract/dialect'
import { compactionAnswer, responseInput } from './bodies.ts'
import { compactDialect } from './compact-dialect.ts'
import { responsesFormat } from './format.ts'
import { recalledResponses } from './response-state.ts'
import { readResponse, readResponseRequest } from './texts.ts'

export const compactResponse: DialectEndpoint = {
  id: 'compactResponse',
  request: responseInput,
  format: responsesFormat,
  conversation: 'input',
  requestTexts: withTools(readResponseRequest),
  answerTexts: readResponse,
  responses: recalledResponses,
  mayCache: () => false,
  translation: { kind: 'chat', needs: ['chatComplete'], dialect: compactDialect },
  routes: [
    {
      serves: 'inference',
      path: '/v1/responses/compact',
      operationId: 'compactResponse',
      summary: 'Compacts a conversation',
      description:
        'Answers with the messages of the user and one `compaction` item in place of the other turns: send both in the input of later requests. At providers without this endpoint the model writes a summary, which the gateway seals into the item; it can be sent to every provider of the workspace.',
      example: { input: 'hello' },
      tag: 'Responses',
      answer: compactionAnswer,
      media: { body: ['application/json'], answer: ['application/json'] },
    },
  ],
}
