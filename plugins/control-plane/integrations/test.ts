/** Tests whether an integration's credential works, with one cheap call to its provider. */

import { isObject, type JsonObject } from '@gateway/contract'
import type { IntegrationData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import type { ExtraRoute } from '../engine/index.ts'

export const testRoute: ExtraRoute<IntegrationData, 'tryCredential'> = {
  method: 'POST',
  path: '/:id/test',
  operationId: 'integrationTest',
  summary: 'Tests the credential of an integration with one cheap call',
  action: 'read',
  body: Type.Object(
    { model: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) },
    { additionalProperties: false },
  ),
  answer: Type.Object(
    {
      success: Type.Boolean(),
      status_code: Type.Optional(Type.Integer()),
      response_time_ms: Type.Integer(),
      error: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  async handle(call, document): Promise<JsonObject> {
    const model = isObject(call.body) && typeof call.body.model === 'string' ? call.body.model : null
    const startedAt = performance.now()
    const { status, error } = await call.context.tryCredential(document, model)
    return {
      success: error === null,
      ...(status === null ? {} : { status_code: status }),
      response_time_ms: Math.round(performance.now() - startedAt),
      ...(error === null ? {} : { error }),
    }
  },
}
