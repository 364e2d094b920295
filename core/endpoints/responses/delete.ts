/**
 * `DELETE /v1/responses/{id}`. Errors: 404 `not_found`, also for other workspaces' responses.
 */
import { Type } from '@sinclair/typebox'
import { createAnswer, type Exchange, type Run, required } from '../../flow/index.ts'
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

async function serve(exchange: Exchange, id: string, run: Run): Promise<void> {
  const { responses } = exchange.runtime
  const kept = await findKept(exchange, id)
  if (kept !== null) {
    await responses.forget(required(exchange.identity, 'identity').workspaceId, id)
    exchange.answer = createAnswer({ body: { id, object: 'response', deleted: true } })
    return
  }
  await askProvider(exchange, run, id, {})
  const { status } = required(exchange.answer, 'answer')
  if (status >= 200 && status <= 299) await responses.forgetOwner(id)
}
