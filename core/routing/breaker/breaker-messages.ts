/** What breakers of different processes tell each other, as text over shared state. */

import type { BreakerSettings } from '../../flow/breaker.ts'

const events = ['failed', 'succeeded', 'opened', 'closed', 'released'] as const

/**
 * `failed`: one more failure. `succeeded`: the count starts anew. `opened`, `closed`: the circuit did.
 * `released`: a probe was given back undecided, another may run.
 */
export type BreakerEvent = (typeof events)[number]

export interface BreakerMessage {
  /** The process that says it. */
  from: string
  event: BreakerEvent
  id: string
  settings: BreakerSettings
}

/** The message in a text; undefined for what this version does not understand. */
export function readMessage(text: string): BreakerMessage | undefined {
  const message = parse(text) as Partial<BreakerMessage> | null
  if (typeof message !== 'object' || message === null) return undefined
  const { from, event, id, settings } = message
  if (typeof from !== 'string' || typeof id !== 'string' || event === undefined) return undefined
  if (!events.includes(event)) return undefined
  if (typeof settings?.failure_threshold !== 'number') return undefined
  if (typeof settings.cooldown_interval !== 'number') return undefined
  return { from, event, id, settings }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
