/** The state of a target's breaker for the management API, without hosts and credentials. */
import { hash } from 'node:crypto'
import type { TargetHealth } from '@gateway/contract'
import type { Breaker } from './breaker.ts'

export function targetHealthOf(breaker: Breaker): TargetHealth {
  const { subject } = breaker
  return {
    // The breaker's id contains the host.
    id: hash('sha256', breaker.id, 'hex').slice(0, 32),
    provider: subject?.provider ?? '',
    virtualKey: subject?.virtualKey ?? null,
    model: subject?.model ?? '',
    hostKind: subject?.hostKind ?? 'custom',
    state: breaker.state,
    failures: breaker.failures(),
    ...breaker.openTimes(),
    lastStatus: breaker.lastStatus,
  }
}
