/** Records every refused JWT in the audit log, with the token masked (management contract, section 8). */

import type { GatewayError, RefusedToken, ServiceContext, ServiceRequest } from '@gateway/contract'
import { auditWrite, firstOrganisationId } from '@gateway/domain'

interface RecordTokenOptions {
  error: GatewayError
  token: RefusedToken
}

/**
 * Recorded for the organisation that refused the token, or for the first one if the token names no known organisation.
 */
export async function recordToken(
  context: ServiceContext<'documents' | 'now'>,
  request: ServiceRequest,
  { error, token: { masked, organisationId } }: RecordTokenOptions,
): Promise<void> {
  const record = auditWrite(
    {
      request,
      identity: null,
      organisationId: organisationId ?? firstOrganisationId,
      nowMs: context.now(),
      status: error.status,
      sent: null,
    },
    {
      action: 'authenticate',
      resource_type: 'jwt',
      resource_id: null,
      details: { code: error.code, masked_token: masked },
    },
  )
  await context.documents.commit([record])
}
