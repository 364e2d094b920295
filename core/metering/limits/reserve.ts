/**
 * One atomic reservation over all limits that apply, and its settlement. Requests count at once; tokens and cost are
 * held until the usage is known, at most for `leaseMs`.
 */
import { randomUUID } from 'node:crypto'
import type {
  CounterAnswer,
  CounterReading,
  Counters,
  GatewayError,
  Reservation,
  ReservationResult,
} from '@gateway/contract'
import { isLeased, leaseMs } from '@gateway/counters'
import { chargesOf } from '@gateway/domain'
import type { RateReading } from '@gateway/flow'
import type { ApplicableLimit } from './applicable-limits.ts'
import { refusalOf } from './refusal.ts'

/** The amounts of tokens and cost. */
export interface Amounts {
  tokens: number
  usd: number
}

/** The level that a usage limit reached with a settlement or an admission. */
export interface UsageReached {
  applied: ApplicableLimit
  event: 'threshold' | 'exhausted'
  used: number
}

export interface Held {
  /** Why the request is refused; null if it is admitted. */
  refusal: GatewayError | null
  rates: readonly RateReading[]
  reached: readonly UsageReached[]
  /** Settles the reservation and returns the rate limit readings afterwards; null if nothing needs settling. */
  settle: ((used: Amounts, nowMs: number) => CounterAnswer<Settled>) | null
}

type Settled = Pick<Held, 'rates' | 'reached'>

/** Ids of attempts, unique across processes because counters may be shared. */
const processId = randomUUID()
let attempts = 0
const nextId = () => `${processId}/${++attempts}`

const isHeld = ({ limit }: ApplicableLimit) => limit.measure !== 'requests'

const amountOf = ({ limit }: ApplicableLimit, { tokens, usd }: Amounts): number =>
  limit.measure === 'requests' ? 1 : limit.measure === 'tokens' ? tokens : usd

/** Errors: those of the counters, for which the request is refused. */
export function reserve(
  counters: Pick<Counters, 'reserve' | 'settle'>,
  applied: readonly ApplicableLimit[],
  { need, nowMs }: { need: Amounts; nowMs: number },
): CounterAnswer<Held> {
  const id = nextId()
  const reservations = applied.map((each) => toReservation(each, need))
  const held = (result: ReservationResult) => heldBy(counters, { id, applied, nowMs }, result)
  return whenAnswered(counters.reserve(id, reservations, { leaseMs, nowMs }), held)
}

/** Synchronous when the counters are in-process. */
function whenAnswered<T, Result>(
  answer: CounterAnswer<T>,
  use: (answer: T) => Result,
): CounterAnswer<Result> {
  return answer instanceof Promise ? answer.then(use) : use(answer)
}

interface Attempt {
  id: string
  applied: readonly ApplicableLimit[]
  /** The time of the admission. */
  nowMs: number
}

function heldBy(
  counters: Pick<Counters, 'reserve' | 'settle'>,
  attempt: Attempt,
  { isAdmitted, readings }: ReservationResult,
): Held {
  const { applied, nowMs } = attempt
  const rates = ratesOf(applied, readings)
  if (!isAdmitted) {
    const refused = applied.filter((_, index) => readings[index]?.isAdmitted === false)
    return { refusal: refusalOf(refused, nowMs), rates, reached: nothing, settle: null }
  }
  return {
    refusal: null,
    rates,
    reached: reachedBy(applied, readings, (each) => (isHeld(each) ? null : 1)),
    settle: applied.some(isHeld)
      ? (used, laterMs) => settleHeld(counters, attempt, { before: readings, used, laterMs })
      : null,
  }
}

/** The reservation for a limit's counter. */
export function toReservation(applied: ApplicableLimit, need: Amounts): Reservation {
  const { limit, key } = applied
  const isRequests = limit.measure === 'requests'
  return {
    key,
    window: limit.window,
    limit: limit.limit,
    need: amountOf(applied, need),
    // A limit of 0 blocks everything.
    admits: limit.kind === 'usage' || limit.limit === 0 ? 'open' : 'fits',
    takes: isRequests ? 'use' : 'hold',
  }
}

interface SettleHeldOptions {
  before: readonly CounterReading[]
  used: Amounts
  laterMs: number
}

function settleHeld(
  counters: Pick<Counters, 'reserve' | 'settle'>,
  { id, applied, nowMs }: Attempt,
  { before, used, laterMs }: SettleHeldOptions,
): CounterAnswer<Settled> {
  const held = applied.filter(isHeld)
  const amounts = held.map((each) => ({
    key: each.key,
    amount: amountOf(each, used),
    window: each.limit.window,
  }))
  const answer = isLeased(nowMs, laterMs)
    ? counters.settle(id, amounts, laterMs)
    : countLate(counters, amounts, { admittedAtMs: nowMs, nowMs: laterMs })
  return whenAnswered(answer, (after) => {
    const readings = mergeReadings(applied, before, after)
    return {
      rates: ratesOf(applied, readings),
      reached: reachedBy(applied, readings, (each) => (isHeld(each) ? amountOf(each, used) : null)),
    }
  })
}

/** Counts usage without a reservation, even above the limits: refusing it would not undo it. */
export async function charge(
  counters: Pick<Counters, 'reserve' | 'settle'>,
  applied: readonly ApplicableLimit[],
  { used, nowMs }: { used: Amounts; nowMs: number },
): Promise<readonly UsageReached[]> {
  const amounts = applied.map((each) => ({
    key: each.key,
    amount: amountOf(each, used),
    window: each.limit.window,
  }))
  const { readings } = await counters.reserve(nextId(), chargesOf(amounts), { leaseMs, nowMs })
  return reachedBy(applied, readings, (each) => amountOf(each, used))
}

/** Replaces the readings of settled limits; other readings are unchanged. */
function mergeReadings(
  applied: readonly ApplicableLimit[],
  before: readonly CounterReading[],
  after: readonly CounterReading[],
): (CounterReading | undefined)[] {
  let next = 0
  return applied.map((each, index) => (isHeld(each) ? after[next++] : before[index]))
}

/** The lease of a very long answer has ended: its usage still counts. */
async function countLate(
  counters: Pick<Counters, 'reserve' | 'settle'>,
  amounts: Parameters<typeof chargesOf>[0],
  { admittedAtMs, nowMs }: { admittedAtMs: number; nowMs: number },
): Promise<readonly CounterReading[]> {
  const charges = chargesOf(amounts, nowMs - admittedAtMs)
  const { readings } = await counters.reserve(nextId(), charges, { leaseMs, nowMs })
  return readings
}

type Readings = readonly (CounterReading | undefined)[]

function ratesOf(applied: readonly ApplicableLimit[], readings: Readings): RateReading[] {
  const rates: RateReading[] = []
  for (let index = 0; index < applied.length; index += 1) {
    const limit = applied[index]?.limit
    const reading = readings[index]
    if (limit?.kind === 'rate' && reading !== undefined)
      rates.push({ limit, used: reading.used, reserved: reading.reserved })
  }
  return rates
}

const nothing: readonly UsageReached[] = []

/**
 * Exactly one of any number of concurrent settlements crosses a threshold, because each reads the value after itself.
 * @param amountOf the amount just counted; null if nothing was counted
 */
function reachedBy(
  applied: readonly ApplicableLimit[],
  readings: Readings,
  amountOf: (applied: ApplicableLimit) => number | null,
): readonly UsageReached[] {
  let reached = nothing
  for (let index = 0; index < applied.length; index += 1) {
    const each = applied[index]
    const used = readings[index]?.used
    if (each?.limit.kind !== 'usage' || used === undefined) continue
    const amount = amountOf(each)
    if (amount !== null) reached = [...reached, ...linesCrossed(each, used - amount, used)]
  }
  return reached
}

function linesCrossed(applied: ApplicableLimit, before: number, used: number): UsageReached[] {
  const { limit, alertThreshold } = applied.limit
  const crosses = (line: number) => before < line && used >= line
  const reached: UsageReached[] = []
  if (alertThreshold !== null && crosses(alertThreshold)) reached.push({ applied, event: 'threshold', used })
  if (crosses(limit)) reached.push({ applied, event: 'exhausted', used })
  return reached
}
