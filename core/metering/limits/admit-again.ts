/**
 * Checks a request again that waited in the queue: its credential and scope, and its budgets, as they are now. Its own
 * reservation stays. Errors: those of authentication and admission; 412 `usage_limit_exceeded`.
 */
import { type CallerPorts, claimOf, type Ports, type Routed } from '@gateway/flow'
import { checkAccess } from '../../tenancy/index.ts'
import { applicableLimits } from './applicable-limits.ts'
import { noteRefused } from './limit-events.ts'
import { policySubjectOf } from './policy-subject.ts'
import { previewLimits } from './preview-limits.ts'
import { refusalOf } from './refusal.ts'

export async function admitAgain(ports: CallerPorts & Ports<'metrics'>, exchange: Routed): Promise<void> {
  const { request, transport } = exchange
  const found =
    transport.caller === null
      ? ports.identities.find(claimOf(transport, request.ownHeaders))
      : transport.caller()
  const caller = await found
  checkAccess(exchange.endpoint, caller.identity)
  if (transport.origin?.isExempt === true) return
  const { limits } = await ports.workspaces.settingsOf(caller.identity.workspaceId)
  const set = limits.of(caller)
  if (set === null) return
  const nowMs = Date.now()
  const subject = () => policySubjectOf(exchange, null)
  const budgets = applicableLimits(set.fixed, set.requestPolicies, { subject, nowMs }).filter(
    ({ limit }) => limit.kind === 'usage',
  )
  const previews = await previewLimits(exchange, { applied: budgets, likely: () => null }, nowMs)
  // Its own reservation is among the reserved amounts, so only what was used counts.
  const reached = previews.limits.filter(({ used, applied }) => used >= applied.limit.limit)
  if (reached.length === 0) return
  const refusal = refusalOf(
    reached.map(({ applied }) => applied),
    nowMs,
  )
  noteRefused(ports, refusal)
  throw refusal
}
