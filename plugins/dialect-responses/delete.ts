/**
 * `DELETE /v1/responses/{id}`. Errors: 404 `not_found`, also for other workspaces' responses.
 */
import type { DialectEndpoint } from '@gateway/contract/dialect'
import { deletionAnswer } from './bodies.ts'
import { keptResponseFormat } from './format.ts'

export const deleteResponse: DialectEndpoint = {
  id: 'deleteModelResponse',
  format: keptResponseFormat,
  isMetered: false,
  routes: [
    {
      serves: 'stored-response-removal',
      path: '/v1/responses/:id',
      operationId: 'deleteModelResponse',
      summary: 'Deletes a stored response',
      tag: 'Responses',
      answer: deletionAnswer,
      render: (id) => ({ id, object: 'response', deleted: true }),
    },
  ],
}
