/**
 * Reports that a guardrail denied a request, an answer or a tool call: counts it and emits an event that contains no
 * text.
 */
import type { HookResult, ReportPorts } from '@gateway/flow'
import { type Emitting, emitEvent } from './emit-event.ts'

export function noteDenial(
  ports: ReportPorts,
  exchange: Emitting,
  { phase, results }: { phase: 'before' | 'after'; results: readonly HookResult[] },
): void {
  ports.metrics.denials.inc({ phase })
  const denied = results.find(({ deny, verdict }) => deny && !verdict) ?? results.at(-1)
  emitEvent(ports, exchange, {
    type: 'guardrail.denied',
    data: {
      trace_id: exchange.request.traceId,
      guardrail_id: denied?.id ?? null,
      phase: phase === 'before' ? 'input' : 'output',
      api_key_id: exchange.caller?.identity.keyId ?? null,
    },
  })
}
