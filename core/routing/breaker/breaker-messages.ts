/** Messages between breakers of different processes, as text over shared state. */

import { isObject } from '@gateway/contract'
import type { BreakerSettings, TargetSubject } from '@gateway/flow'

const events = ['failed', 'succeeded', 'opened', 'closed', 'released'] as const

/**
 * `failed`: one more failure. `succeeded`: the count restarts. `opened`, `closed`: the state of the circuit changed.
 * `released`: a probe ended without a result, so another may run.
 */
export type BreakerEvent = (typeof events)[number]

export interface BreakerMessage {
  /** The sending process. */
  from: string
  event: BreakerEvent
  id: string
  settings: BreakerSettings
  /** The breaker's target; absent before its first caller, and in messages of older versions. */
  subject?: TargetSubject | undefined
}

/** A process that has just started asks which circuits are open. */
interface AskedMessage {
  from: string
  event: 'asked'
}

type KnownCircuit = Pick<BreakerMessage, 'id' | 'settings' | 'subject'>

/** The answer: circuits that are open or waiting for a probe in the sending process. */
interface KnownMessage {
  from: string
  event: 'known'
  /** The asking process. */
  to: string
  open: readonly KnownCircuit[]
}

export type Message = BreakerMessage | AskedMessage | KnownMessage

/** Parses a message; undefined for messages that this version does not support. */
export function readMessage(text: string): Message | undefined {
  const message = parse(text)
  if (!isObject(message) || typeof message.from !== 'string') return undefined
  const { from, event, to, open } = message
  if (event === 'asked') return { from, event }
  if (event !== 'known') return readEvent(message)
  if (typeof to !== 'string' || !Array.isArray(open)) return undefined
  const known = open.flatMap((each) =>
    isObject(each) ? (readEvent({ ...each, from, event: 'opened' }) ?? []) : [],
  )
  return { from, event, to, open: known.map(({ id, settings, subject }) => ({ id, settings, subject })) }
}

function readEvent(message: Partial<BreakerMessage>): BreakerMessage | undefined {
  const { from, event, id, settings } = message
  if (typeof from !== 'string' || typeof id !== 'string' || event === undefined) return undefined
  if (!events.includes(event)) return undefined
  if (typeof settings?.failure_threshold !== 'number') return undefined
  if (typeof settings.cooldown_interval !== 'number') return undefined
  return { from, event, id, settings, subject: readSubject(message.subject) }
}

/** Undefined for a text that is not a message of a gateway. */
export function readSubject(subject: unknown): TargetSubject | undefined {
  if (!isObject(subject)) return undefined
  const { provider, model, virtualKey, hostKind, organisationId, workspaceIds } = subject
  if (typeof provider !== 'string' || typeof model !== 'string') return undefined
  if (typeof organisationId !== 'string' || !Array.isArray(workspaceIds)) return undefined
  if (hostKind !== 'stored' && hostKind !== 'default' && hostKind !== 'custom') return undefined
  return {
    provider,
    model,
    virtualKey: typeof virtualKey === 'string' ? virtualKey : null,
    hostKind,
    organisationId,
    workspaceIds: workspaceIds.filter((id) => typeof id === 'string'),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
