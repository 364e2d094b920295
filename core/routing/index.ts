/**
 * `@gateway/routing`: which target answers a request, and what is known about targets: the provider and credential of
 * a leaf, conditions, weights, load, capacity, circuit breakers, hedging, rollouts, health. The strategies that use it
 * are in `stages/strategy.ts`.
 */
export { createBalancer, recordFirstByte } from './balancer.ts'
export { type BreakerRegistry, createBreakers } from './breaker/breaker-registry.ts'
export { joinSubjects, subjectOf } from './breaker/breaker-subject.ts'
export { breakerOf, targetKey } from './breaker-key.ts'
export { learnLimits } from './capacity/learn-limits.ts'
export { createLimitRegistry, type LimitRegistry } from './capacity/limit-registry.ts'
export { capacityOf, fullUntil, needOf, noRoom, seatsOf } from './capacity/room.ts'
export { blockOf, type Chosen, chancesOf, chooseTarget, isBlocked, otherTarget } from './choose-target.ts'
export { chooseByCondition, chosenPaths, matchCondition } from './condition.ts'
export { findModelConfig, requireModels, targetWithoutModel } from './config-model.ts'
export { findTarget, prepareTarget, splitModel } from './find-target.ts'
export { mayHedge, runHedged } from './hedge.ts'
export { hostKindOf } from './host-kind.ts'
export { leavesOf, takesProvider } from './leaves.ts'
export { likelyTarget } from './likely-target.ts'
export { decidingRefusal, isRefusal, isSkipped, movesOn } from './refusal.ts'
export { retryAfterMs } from './retry-after.ts'
export { chooseVersion, describeRollout } from './rollout.ts'
export { targetHealthOf } from './target-health.ts'
export { unknownConfig } from './unknown-config.ts'
