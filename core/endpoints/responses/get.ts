/**
 * `GET /v1/responses/{id}`. Errors: 400 `invalid_query`; 404 `not_found`, also for other workspaces' responses.
 */
import { responseAnswer } from '@gateway/contract/wire'
import { Type } from '@sinclair/typebox'
import { type Answer, createAnswer, type KeptResponse, type Routed, type Run } from '../../flow/index.ts'
import { frameStream } from '../../streaming/index.ts'
import { declareEndpoint, events } from '../declare-endpoint.ts'
import { responseEvent } from '../stream-events.ts'
import { keptResponseFormat, responsesFormat } from './format.ts'
import { type ResponseQuery, readResponseQuery } from './query.ts'
import { replayResponse } from './replay.ts'
import { askProvider, findKept } from './stored.ts'
import { readResponse } from './texts.ts'

export const getResponse = declareEndpoint({
  id: 'getModelResponse',
  streams: true,
  format: keptResponseFormat,
  isMetered: false,
  answerTexts: readResponse,
  routes: [
    {
      method: 'GET',
      path: '/v1/responses/:id',
      operationId: 'getModelResponse',
      summary: 'Returns a stored response',
      tag: 'Responses',
      query: Type.Object({
        stream: Type.Optional(Type.Boolean()),
        starting_after: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999 })),
        include_obfuscation: Type.Optional(Type.Boolean()),
      }),
      answer: responseAnswer,
      event: responseEvent,
      media: { answer: ['application/json', events] },
      pipeline: 'stored-response',
      serve: (exchange, { id = '' }, run) => serve(exchange, id, run),
    },
  ],
})

async function serve(exchange: Routed, id: string, run: Run<Routed>): Promise<Answer> {
  const query = readResponseQuery(exchange.transport.query)
  const kept = await findKept(exchange, id)
  if (kept === null) return askProvider(exchange, run, id, { ...query })
  return query.stream === true
    ? createAnswer({ stream: frameStream(replay(kept, query), responsesFormat) })
    : createAnswer({ body: kept.response })
}

async function* replay({ response }: KeptResponse, { starting_after: after = -1 }: ResponseQuery) {
  for (const event of replayResponse(response)) if (Number(event.sequence_number) > after) yield event
}
