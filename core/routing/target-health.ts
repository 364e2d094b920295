/**
 * The health of targets for the management API, without hosts and credentials: the state of their breakers, and the
 * remaining rate limits that their providers report.
 */
import { hash } from 'node:crypto'
import type { TargetHealth } from '@gateway/contract'
import type { Breaker } from './breaker/breaker.ts'
import type { TargetLimits } from './capacity/target-limits.ts'

/** One entry per breaker, and one per target without a breaker whose limits are known. */
export function targetHealthOf(
  breakers: readonly Breaker[],
  targets: readonly TargetLimits[],
  nowMs: number,
): TargetHealth[] {
  const byKey = new Map(targets.map((target) => [target.key, target]))
  const broken = new Set(breakers.map(({ targetKey }) => targetKey))
  return [
    ...breakers.map((breaker) => ({
      ...ofBreaker(breaker),
      limits: limitsOf(byKey.get(breaker.targetKey), nowMs),
      fullUntil: byKey.get(breaker.targetKey)?.fullUntil(smallest, nowMs, null) ?? null,
    })),
    ...targets.filter(({ key }) => !broken.has(key)).map((target) => ofTarget(target, nowMs)),
  ]
}

const smallest = { inputTokens: 1, outputTokens: 0 }

/** The ids of breakers and targets contain the host. */
const idOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)

const subjectOf = ({ subject }: Pick<Breaker, 'subject'>) => ({
  provider: subject?.provider ?? '',
  virtualKey: subject?.virtualKey ?? null,
  model: subject?.model ?? '',
  hostKind: subject?.hostKind ?? ('custom' as const),
})

const ofBreaker = (breaker: Breaker) => ({
  id: idOf(breaker.id),
  ...subjectOf(breaker),
  state: breaker.state,
  failures: breaker.failures(),
  ...breaker.openTimes(),
  lastStatus: breaker.lastStatus,
})

const ofTarget = (target: TargetLimits, nowMs: number): TargetHealth => ({
  id: idOf(target.key),
  ...subjectOf(target),
  ...{ state: 'closed', failures: 0, openedAt: null, retryAt: null, lastStatus: null },
  limits: limitsOf(target, nowMs),
  fullUntil: target.fullUntil(smallest, nowMs, null),
})

const limitsOf = (target: TargetLimits | undefined, nowMs: number): TargetHealth['limits'] =>
  (target?.windows(nowMs) ?? []).map(({ measure, limit, left, resetAt }) => ({
    ...{ measure, limit, left, resetsAt: resetAt },
  }))
