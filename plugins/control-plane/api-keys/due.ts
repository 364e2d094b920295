/**
 * When the worker must look at a key. The attribute `due` lists each day on which an action is due, so the worker reads
 * only the keys of the current day.
 */
import type { ManagedKeyData } from '@gateway/domain'
import { isoOf, type KeyDocument, transitionEnd } from './data.ts'

const dayMs = 86_400_000
/** The lead time of warnings before a rotation and before the end of a transition. */
export const warnBeforeMs = dayMs
/** The lead times of warnings before a key expires. */
export const warnExpiryBeforeMs: readonly number[] = [7 * dayMs, dayMs]

/** A further value of the attribute: found when the worker looks at all keys. */
export const dueEver = 'ever'

export const dayOf = (timeMs: number): string => isoOf(timeMs).slice(0, 10)

/** Times at which the worker should look at a key, computed from its stored data. */
function timesOf({ data }: Pick<KeyDocument, 'data'>): number[] {
  const times: number[] = []
  const next = timeOf(data.rotation_policy?.next_rotation_at)
  if (next !== null) times.push(next - warnBeforeMs, next)
  const ends = transitionEnd(data, 0)
  if (ends !== null) times.push(ends - warnBeforeMs, ends)
  const expiry = timeOf(data.expires_at)
  if (expiry !== null) times.push(...warnExpiryBeforeMs.map((before) => expiry - before), expiry)
  const unread = timeOf(data.unread?.until)
  if (unread !== null) times.push(unread)
  return times
}

/** The attribute `due` of a key. */
export function dueDays(document: Pick<KeyDocument, 'data' | 'status'>): string[] {
  if (document.status === 'archived') return []
  const days = timesOf(document).map(dayOf)
  return days.length === 0 ? [] : [...new Set([dueEver, ...days])]
}

export function timeOf(text: string | null | undefined): number | null {
  const timeMs = text === null || text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(timeMs) ? null : timeMs
}

/** Notices that are still relevant: those for times that a key no longer has are removed. */
export function currentNotices({ notices, rotation_policy, expires_at, secrets }: ManagedKeyData): string[] {
  const times = [rotation_policy?.next_rotation_at, expires_at, ...secrets.map(({ ends_at }) => ends_at)]
  return (notices ?? []).filter((notice) =>
    times.some((time) => typeof time === 'string' && notice.includes(time)),
  )
}
