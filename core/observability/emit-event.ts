/** Emits events of requests in the background. The request counts as in flight until they are stored. */
import { faultReason, type JsonObject } from '@gateway/contract'
import { firstOrganisationId } from '@gateway/domain'
import type { Ended, Ports } from '@gateway/flow'

/** The members of a request that an event needs. The request may have ended before its caller was known. */
export type Emitting = Pick<Ended, 'caller' | 'request'>

/** Emits an event of the caller's workspace; a failure is logged. */
export function emitEvent(
  ports: Ports<'inFlight' | 'log' | 'services'>,
  { caller, request: { traceId } }: Emitting,
  { type, data }: { type: string; data: JsonObject },
): void {
  ports.inFlight.begin()
  const event = {
    type,
    organisation_id: caller?.identity.organisationId ?? firstOrganisationId,
    workspace_id: caller?.identity.workspaceId ?? null,
    data,
  }
  ports.services
    .emit(event)
    .catch((error: unknown) => {
      const reason = faultReason(error)
      ports.log.warn({ trace_id: traceId, event: type, reason }, 'failed to store an event')
    })
    .finally(() => ports.inFlight.end())
}
