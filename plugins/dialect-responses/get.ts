/**
 * `GET /v1/responses/{id}`. Errors: 400 `invalid_query`; 404 `not_found`, also for other workspaces' responses.
 */
import type { JsonObject } from '@gateway/contract'
import type { DialectEndpoint, StoredResponseQuery } from '@gateway/contract/dialect'
import { responseAnswer, responseEvent, responseQuery } from './bodies.ts'
import { keptResponseFormat } from './format.ts'
import { readResponseQuery } from './query.ts'
import { replayResponse } from './replay.ts'
import { readResponse } from './texts.ts'

export const getResponse: DialectEndpoint = {
  id: 'getModelResponse',
  streams: true,
  format: keptResponseFormat,
  isMetered: false,
  answerTexts: readResponse,
  routes: [
    {
      serves: 'stored-response',
      path: '/v1/responses/:id',
      operationId: 'getModelResponse',
      summary: 'Returns a stored response',
      tag: 'Responses',
      query: responseQuery,
      answer: responseAnswer,
      event: responseEvent,
      media: { answer: ['application/json', 'text/event-stream'] },
      read,
    },
  ],
}

function read(written: URLSearchParams): StoredResponseQuery {
  const query = readResponseQuery(written)
  const { stream, starting_after: after = -1 } = query
  return {
    members: { ...query },
    render: ({ response }) =>
      stream === true ? { events: eventsAfter(after, response) } : { body: response },
  }
}

function* eventsAfter(after: number, response: JsonObject) {
  for (const event of replayResponse(response)) if (Number(event.sequence_number) > after) yield event
}
