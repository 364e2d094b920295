/** Counts and logs an operation of a cache that failed. The request continues as after a miss. */
import { faultReason, isGatewayError } from '@gateway/contract'
import type { Ports, Received } from '@gateway/flow'

export function reportCacheFault(
  ports: Ports<'log' | 'metrics'>,
  { request: { traceId } }: Received,
  { operation, error }: { operation: 'read' | 'write' | 'embed' | 'search'; error: unknown },
): void {
  ports.metrics.cacheErrors.inc({ operation })
  const reason = isGatewayError(error) ? faultReason(error) : error instanceof Error ? error.name : 'error'
  ports.log.warn({ trace_id: traceId, operation, reason }, 'cache error; treated as a miss')
}
