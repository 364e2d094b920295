/** Every refused JWT is a record of the audit log, with the token masked (management contract, section 8). */
import type { GatewayError, ServiceContext, ServiceRequest } from '@gateway/core/contract'
import { createCall } from './engine/create-call.ts'

export async function recordToken(
  context: ServiceContext,
  request: ServiceRequest,
  error: GatewayError,
  masked: string,
): Promise<void> {
  await createCall(context, request).recordRefusal(error, {
    action: 'authenticate',
    resource_type: 'jwt',
    resource_id: null,
    details: { code: error.code, masked_token: masked },
  })
}
