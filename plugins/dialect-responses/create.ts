/**
 * `POST /v1/responses`, for every provider that has this endpoint or chat completions. The gateway stores the
 * responses.
 */
import type { JsonObject } from '@gateway/contract'
import { type DialectEndpoint, withTools } from '@gateway/contract/dialect'
import { createResponseRequest } from '@gateway/contract/wire'
import { responseAnswer, responseEvent } from './bodies.ts'
import { asksForCompaction } from './compaction.ts'
import { responsesDialect } from './dialect.ts'
import { responsesFormat } from './format.ts'
import { createdResponses } from './response-state.ts'
import { responseSocket } from './socket.ts'
import { readResponse, readResponseRequest } from './texts.ts'

/** Whether each run gives another response, because it extends a provider's conversation or runs in the background. */
const isStateful = ({ conversation, background }: JsonObject): boolean =>
  (conversation !== undefined && conversation !== null) || background === true

export const createResponse: DialectEndpoint = {
  id: 'createModelResponse',
  isRepeatable: true,
  request: createResponseRequest,
  answerList: { member: 'output', isRequired: false },
  streams: true,
  format: responsesFormat,
  conversation: 'input',
  requestTexts: withTools(readResponseRequest),
  answerTexts: readResponse,
  responses: createdResponses,
  requestSocket: responseSocket,
  mayCache: (body) => !isStateful(body) && !asksForCompaction(body),
  translation: { kind: 'chat', needs: ['chatComplete'], dialect: responsesDialect },
  routes: [
    {
      serves: 'inference',
      path: '/v1/responses',
      operationId: 'createModelResponse',
      summary: 'Creates a response in the Responses format',
      description:
        'Takes and answers the Responses format. The gateway translates it for providers without that format, and stores responses unless `store` is false. An input that ends with `compaction_trigger` is answered with one `compaction` item.',
      example: { input: 'hello' },
      tag: 'Responses',
      answer: responseAnswer,
      event: responseEvent,
      media: { body: ['application/json'], answer: ['application/json', 'text/event-stream'] },
    },
  ],
}
