/** Emits events in the background. A stopping gateway waits until they are stored. */
import { faultReason, type GatewayEvent } from '@gateway/contract'
import type { Ports } from '@gateway/flow'

/**
 * Emits an event; a failure is logged.
 * @param traceId the request that caused it; null if none did
 */
export function emitEvent(
  { inFlight, log, services }: Ports<'inFlight' | 'log' | 'services'>,
  event: GatewayEvent,
  traceId: string | null = null,
): void {
  const trace = traceId === null ? {} : { trace_id: traceId }
  inFlight.begin()
  services
    .emit(event)
    .catch((error: unknown) =>
      log.warn({ ...trace, event: event.type, reason: faultReason(error) }, 'failed to store an event'),
    )
    .finally(() => inFlight.end())
}
