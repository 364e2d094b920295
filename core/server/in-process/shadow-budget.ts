/** `budget_per_day` of a shadow: a separate cost limit, shared by all processes, which resets at 00:00 UTC. */
import { createHash } from 'node:crypto'
import type { Counters } from '@gateway/contract'
import type { CompiledLimit, SavedConfig, Shadow } from '@gateway/flow'

/** The `param` of the budget's errors, which no caller sees. */
export const budgetParam = 'shadow'

const dayMs = 86_400_000
/** The number of past days whose counters are removed; older ones have already been removed. */
const pastDays = 7

export interface ShadowOwner {
  workspaceId: string
  /** Null for an inline config. */
  config: SavedConfig | null
}

/** Identifies the owner of a shadow's budget, which is the same for all versions of a config. */
function ownerOf({ path, written }: Shadow, { workspaceId, config }: ShadowOwner): string {
  const name = config?.id ?? createHash('sha256').update(JSON.stringify(written)).digest('base64url')
  return `shadow:${workspaceId}:${name}:${path}`
}

/** Returns undefined without a budget. A shadow starts only if its estimate fits into the remaining budget. */
export function shadowBudget(shadow: Shadow, owner: ShadowOwner): CompiledLimit | undefined {
  if (shadow.budgetPerDay === null) return undefined
  const prefix = ownerOf(shadow, owner)
  return {
    // Unlike a usage limit, a rate limit admits only requests that fit.
    kind: 'rate',
    measure: 'cost',
    param: budgetParam,
    label: budgetParam,
    limit: shadow.budgetPerDay,
    unit: 'rpd',
    alertThreshold: null,
    window: null,
    keyAt: (nowMs) => `${prefix}:${Math.floor(nowMs / dayMs)}`,
    resetsAt: (nowMs) => (Math.floor(nowMs / dayMs) + 1) * dayMs,
  }
}

/** Removes the counters of past days, once per budget and day. */
export function createBudgetCleaner(): (counters: Counters, budget: CompiledLimit, nowMs: number) => void {
  let today = -1
  const cleaned = new Set<string>()
  return (counters, budget, nowMs) => {
    const day = Math.floor(nowMs / dayMs)
    if (day !== today) cleaned.clear()
    today = day
    const key = budget.keyAt(nowMs)
    if (cleaned.has(key)) return
    cleaned.add(key)
    const past = Array.from({ length: pastDays }, (_, index) => budget.keyAt(nowMs - (index + 1) * dayMs))
    // An old counter has no effect if it stays.
    counters.reset(past).catch(() => cleaned.delete(key))
  }
}
