/**
 * `DELETE /v1/responses/{id}`. Errors: 404 `not_found`, also for other workspaces' responses.
 */
import { Type } from '@sinclair/typebox'
import { type Answer, createAnswer, type Routed, type Run } from '../../flow/index.ts'
import { declareEndpoint } from '../declare-endpoint.ts'
import { askProvider, findKept } from './stored.ts'

const text = Type.String()

export const deleteResponse = declareEndpoint({
  id: 'deleteModelResponse',
  isMetered: false,
  routes: [
    {
      method: 'DELETE',
      path: '/v1/responses/:id',
      operationId: 'deleteModelResponse',
      summary: 'Deletes a stored response',
      tag: 'Responses',
      answer: Type.Object(
        { id: text, object: text, deleted: Type.Boolean() },
        { additionalProperties: true },
      ),
      pipeline: 'stored-response-removal',
      serve: (exchange, { id = '' }, run) => serve(exchange, id, run),
    },
  ],
})

async function serve(exchange: Routed, id: string, run: Run<Routed>): Promise<Answer> {
  const { responses } = exchange.stores
  const kept = await findKept(exchange, id)
  if (kept !== null) {
    await responses.forget(exchange.identity.workspaceId, id)
    return createAnswer({ body: { id, object: 'response', deleted: true } })
  }
  const answer = await askProvider(exchange, run, id, {})
  if (answer.status >= 200 && answer.status <= 299) await responses.forgetOwner(id)
  return answer
}
