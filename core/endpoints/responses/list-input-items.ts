/**
 * `GET /v1/responses/{id}/input_items`. Errors: 400 `invalid_query`; 404 `not_found`, also for other workspaces'
 * responses.
 */
import { Type } from '@sinclair/typebox'
import { type Answer, createAnswer, type Routed, type Run } from '../../flow/index.ts'
import { declareEndpoint } from '../declare-endpoint.ts'
import { pageOf } from './list-items.ts'
import { readItemsQuery } from './query.ts'
import { askProvider, findKept } from './stored.ts'
import { readItemList } from './texts.ts'

const text = Type.String()
const textOrNull = Type.Unsafe({ type: ['string', 'null'] })

export const listInputItems = declareEndpoint({
  id: 'listResponseInputItems',
  isMetered: false,
  answerTexts: readItemList,
  routes: [
    {
      method: 'GET',
      path: '/v1/responses/:id/input_items',
      operationId: 'listResponseInputItems',
      summary: 'Lists the input items of a response',
      tag: 'Responses',
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
        order: Type.Optional(Type.Unsafe({ enum: ['asc', 'desc'] })),
        after: Type.Optional(text),
        before: Type.Optional(text),
      }),
      answer: Type.Object(
        {
          object: Type.Literal('list'),
          data: Type.Array(Type.Object({}, { additionalProperties: true })),
          first_id: Type.Optional(textOrNull),
          last_id: Type.Optional(textOrNull),
          has_more: Type.Boolean(),
        },
        { title: 'ResponseItemList', additionalProperties: true },
      ),
      pipeline: 'stored-response',
      serve: (exchange, { id = '' }, run) => serve(exchange, id, run),
    },
  ],
})

async function serve(exchange: Routed, id: string, run: Run<Routed>): Promise<Answer> {
  const query = readItemsQuery(exchange.transport.query)
  const kept = await findKept(exchange, id)
  if (kept === null) return askProvider(exchange, run, id, { ...query })
  return createAnswer({ body: pageOf(kept.items, query) })
}
