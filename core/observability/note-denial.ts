/**
 * Reports that a guardrail denied a request, an answer or a tool call: counts it and emits an event that contains no
 * text.
 */
import { firstOrganisationId } from '@gateway/domain'
import type { Ended, HookResult, ReportPorts } from '@gateway/flow'
import { emitEvent } from './emit-event.ts'

/** The members of a request that are reported. The request may have ended before its caller was known. */
type Denied = Pick<Ended, 'caller' | 'request'>

export function noteDenial(
  ports: ReportPorts,
  { caller, request: { traceId } }: Denied,
  { phase, results }: { phase: 'before' | 'after'; results: readonly HookResult[] },
): void {
  ports.metrics.denials.inc({ phase })
  const denied = results.find(({ deny, verdict }) => deny && !verdict) ?? results.at(-1)
  const identity = caller?.identity
  const event = {
    type: 'guardrail.denied',
    organisation_id: identity?.organisationId ?? firstOrganisationId,
    workspace_id: identity?.workspaceId ?? null,
    data: {
      trace_id: traceId,
      guardrail_id: denied?.id ?? null,
      phase: phase === 'before' ? 'input' : 'output',
      api_key_id: identity?.keyId ?? null,
    },
  }
  emitEvent(ports, event, traceId)
}
