/**
 * `POST /v1/responses`, for every provider with this endpoint or chat completions; the gateway stores the responses.
 */
import type { JsonObject } from '@gateway/contract'
import { withTools } from '@gateway/contract/dialect'
import { createResponseRequest, responseAnswer } from '@gateway/contract/wire'
import { declareInference } from '../declare-endpoint.ts'
import { responseEvent } from '../stream-events.ts'
import { asksForCompaction } from './compaction.ts'
import { responsesDialect } from './dialect.ts'
import { responsesFormat } from './format.ts'
import { readResponse, readResponseRequest } from './texts.ts'

/** A response that extends a provider's conversation, or runs in the background, differs each time. */
const isStateful = ({ conversation, background }: JsonObject): boolean =>
  (conversation !== undefined && conversation !== null) || background === true

export const createResponse = declareInference({
  id: 'createModelResponse',
  isRepeatable: true,
  path: '/v1/responses',
  summary: 'Creates a response in the Responses format',
  description:
    'Takes and answers the Responses format. The gateway translates it for providers without that format, and stores responses unless `store` is false. An input that ends with `compaction_trigger` is answered with one `compaction` item.',
  example: { input: 'hello' },
  tag: 'Responses',
  request: createResponseRequest,
  answer: responseAnswer,
  answerList: { member: 'output', isRequired: false },
  streams: true,
  event: responseEvent,
  format: responsesFormat,
  conversation: 'input',
  requestTexts: withTools(readResponseRequest),
  answerTexts: readResponse,
  recallsResponses: true,
  keepsResponses: true,
  mayCache: (body) => !isStateful(body) && !asksForCompaction(body),
  translation: { kind: 'chat', needs: ['chatComplete'], dialect: responsesDialect },
})
