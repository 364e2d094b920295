/**
 * Accepts events of the core and of other services, also while the store does not answer for some seconds. Events that
 * can occur in floods are limited to 60 a minute; further ones are only counted.
 */
import {
  type Documents,
  type DocumentWrite,
  type GatewayEvent,
  isGatewayError,
  type ServiceContext,
} from '@gateway/contract'
import { eventWrite } from '@gateway/domain'
import { isFlood } from './fan-out.ts'

const minuteMs = 60_000
const maxPerMinute = 60
/** The most pairs of workspace and type with a separate count; the oldest are removed. */
const maxCounted = 1000
/** Waits before further attempts to store an event: long enough for a standby database to take over. */
const retryDelaysMs = [500, 2000, 8000]

interface Counted {
  from: number
  taken: number
  suppressed: number
}

export function createEventIntake(
  context: ServiceContext<'documents' | 'now'>,
): (event: GatewayEvent) => Promise<void> {
  const counted = new Map<string, Counted>()

  /** The number of events omitted before; null if this one is also omitted. */
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
    await storeEvent(context.documents, eventWrite({ ...event, data }, nowMs))
  }
}

/** Errors: those of `commit`; `store_unavailable` only after the last attempt. */
async function storeEvent(documents: Pick<Documents, 'commit'>, write: DocumentWrite): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await documents.commit([write])
      return
    } catch (error) {
      const code = isGatewayError(error) ? error.code : null
      // An earlier attempt has stored it, and only its answer was lost.
      if (code === 'precondition_failed') return
      const delayMs = retryDelaysMs[attempt]
      if (code !== 'store_unavailable' || delayMs === undefined) throw error
      await new Promise((resolve) => setTimeout(resolve, delayMs))
    }
  }
}
