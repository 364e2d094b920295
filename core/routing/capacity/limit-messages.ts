/** Messages about provider limits between processes, as text over shared state. Times are relative: clocks differ. */
import { isObject, parseJson } from '@gateway/contract'
import type { LimitMeasure, TargetSubject } from '@gateway/flow'
import { readSubject } from '../breaker/breaker-messages.ts'
import { longestBelievedMs, type WindowReading } from './limit-headers.ts'

/** The remaining capacity of one target. */
export interface SharedLimits {
  /** The key of the target; the credential in it is hashed. */
  key: string
  subject: TargetSubject | undefined
  windows: readonly (Omit<WindowReading, 'resetAt'> & { resetInMs: number })[]
  refusedForMs: number | null
}

export type LimitMessage =
  | { from: string; event: 'asked' }
  | { from: string; event: 'read'; limits: readonly SharedLimits[] }
  | { from: string; event: 'known'; to: string; limits: readonly SharedLimits[] }

const measures: ReadonlySet<unknown> = new Set<LimitMeasure>([
  'requests',
  'tokens',
  'input_tokens',
  'output_tokens',
])

/** Undefined for messages that this version does not support. */
export function readLimitMessage(text: string): LimitMessage | undefined {
  const message = parseJson(text)
  if (!isObject(message) || typeof message.from !== 'string') return undefined
  const { from, event, to } = message
  if (event === 'asked') return { from, event }
  const limits = Array.isArray(message.limits) ? message.limits.flatMap(readShared) : []
  if (event === 'read') return { from, event, limits }
  return event === 'known' && typeof to === 'string' ? { from, event, to, limits } : undefined
}

function readShared(value: unknown): SharedLimits[] {
  if (!isObject(value) || typeof value.key !== 'string') return []
  const { key, subject, windows, refusedForMs } = value
  return [
    {
      key,
      subject: readSubject(subject),
      windows: Array.isArray(windows) ? windows.flatMap(readWindow) : [],
      refusedForMs: isWait(refusedForMs) ? refusedForMs : null,
    },
  ]
}

function readWindow(value: unknown): SharedLimits['windows'][number][] {
  if (!isObject(value)) return []
  const { name, measure, limit, remaining, resetInMs } = value
  if (typeof name !== 'string' || !isMeasure(measure) || !isCount(remaining) || !isWait(resetInMs)) return []
  return [{ name, measure, limit: isCount(limit) ? limit : null, remaining, resetInMs }]
}

const isMeasure = (value: unknown): value is LimitMeasure => measures.has(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isWait = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value <= longestBelievedMs
