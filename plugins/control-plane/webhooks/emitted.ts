/** Takes events of the core and of other services. Those that can come in floods are counted beyond 60 a minute. */
import type { GatewayEvent, ServiceContext } from '@gateway/contract'
import { eventWrite } from '@gateway/core/domain'
import { isFlood } from './fan-out.ts'

const minuteMs = 60_000
const maxPerMinute = 60
/** Workspaces and types that are counted apart; beyond it the oldest are forgotten. */
const maxCounted = 1000

interface Counted {
  from: number
  taken: number
  suppressed: number
}

export function createEventIntake(context: ServiceContext): (event: GatewayEvent) => Promise<void> {
  const counted = new Map<string, Counted>()

  /** How many were left out before; null when this one is left out as well. */
  function admit({ type, organisation_id, workspace_id }: GatewayEvent, nowMs: number): number | null {
    const key = `${type} ${organisation_id} ${workspace_id}`
    const known = counted.get(key)
    const isOver = known === undefined || nowMs - known.from >= minuteMs
    const count = isOver ? { from: nowMs, taken: 0, suppressed: known?.suppressed ?? 0 } : known
    const { suppressed } = count
    const isTaken = count.taken < maxPerMinute
    if (isTaken) count.taken += 1
    count.suppressed = isTaken ? 0 : suppressed + 1
    counted.delete(key)
    counted.set(key, count)
    if (counted.size > maxCounted)
      for (const oldest of [...counted.keys()].slice(0, 1)) counted.delete(oldest)
    return isTaken ? suppressed : null
  }

  return async (event) => {
    const nowMs = context.now()
    const suppressed = isFlood(event.type) ? admit(event, nowMs) : 0
    if (suppressed === null) return
    const data = suppressed === 0 ? event.data : { ...event.data, suppressed }
    await context.ports.documents.commit([eventWrite({ ...event, data }, nowMs)])
  }
}
