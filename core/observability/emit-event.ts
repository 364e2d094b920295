/** Emits events of requests in the background; the request counts as in flight until they are stored. */
import { faultReason, type JsonObject } from '@gateway/contract'
import { firstOrganisationId } from '../domain/index.ts'
import type { Exchange } from '../flow/index.ts'

/** Emits an event of the caller's workspace; a failure is logged. */
export function emitEvent({ runtime, identity, traceId }: Exchange, type: string, data: JsonObject): void {
  const done = runtime.inFlight.begin()
  const event = {
    type,
    organisation_id: identity?.organisationId ?? firstOrganisationId,
    workspace_id: identity?.workspaceId ?? null,
    data,
  }
  runtime.services
    .emit(event)
    .catch((error: unknown) => {
      const reason = faultReason(error)
      runtime.log.warn({ trace_id: traceId, event: type, reason }, 'failed to store an event')
    })
    .finally(done)
}
