/**
 * One atomic reservation over all limits that apply, and its settlement. Requests count at once; tokens and cost are
 * held until it is known what was used, at most for {@link leaseMs}.
 */
import { randomUUID } from 'node:crypto'
import type { Counters, GatewayError, Reservation } from '../contract/index.ts'
import type { Applied } from './applied.ts'
import type { RateReading } from './ledger.ts'
import { refusalOf } from './refusal.ts'

/** What is taken of tokens and cost. */
export interface Amounts {
  tokens: number
  usd: number
}

/** What a usage limit reached with a settlement or an admission. */
export interface UsageReached {
  applied: Applied
  event: 'threshold' | 'exhausted'
  used: number
}

export interface Held {
  /** Null: nothing was taken. */
  refusal: GatewayError | null
  rates: readonly RateReading[]
  reached: readonly UsageReached[]
  /** Null when there is nothing to settle. Gives what rate limits say after it. */
  settle: ((used: Amounts, nowMs: number) => Promise<Pick<Held, 'rates' | 'reached'>>) | null
}

/** What nobody settled is given back after this. */
export const leaseMs = 600_000

/** A reservation that is too old to be settled for sure is counted anew. */
const sureMs = leaseMs - 5000

const amountOf = ({ limit }: Applied, { tokens, usd }: Amounts): number =>
  limit.measure === 'requests' ? 1 : limit.measure === 'tokens' ? tokens : usd

/** Errors: those of the counters, for which the request is refused. */
export async function reserve(
  counters: Counters,
  applied: readonly Applied[],
  need: Amounts,
  nowMs: number,
): Promise<Held> {
  const id = randomUUID()
  const { isAdmitted, readings } = await counters.reserve(
    id,
    applied.map((each) => toReservation(each, need)),
    leaseMs,
    nowMs,
  )
  const rates = ratesOf(applied, (index) => readings[index])
  if (!isAdmitted) {
    const refused = applied.filter((_, index) => readings[index]?.isAdmitted === false)
    return { refusal: refusalOf(refused, nowMs), rates, reached: [], settle: null }
  }
  const counted = applied.filter(({ limit }) => limit.measure === 'requests')
  const reached = counted.flatMap((each) => reachedBy(each, 1, readings[applied.indexOf(each)]?.used))
  const held = applied.filter(({ limit }) => limit.measure !== 'requests')
  if (held.length === 0) return { refusal: null, rates, reached, settle: null }
  return {
    refusal: null,
    rates,
    reached,
    async settle(used, laterMs) {
      const isSure = laterMs - nowMs < sureMs
      const after = isSure
        ? await settleHeld(counters, id, held, used, laterMs)
        : await countLate(counters, held, used, laterMs)
      return {
        rates: ratesOf(applied, (index) => after[applied[index]?.key ?? ''] ?? readings[index]),
        reached: held.flatMap((each) => reachedBy(each, amountOf(each, used), after[each.key]?.used)),
      }
    },
  }
}

function toReservation(applied: Applied, need: Amounts): Reservation {
  const { limit, key } = applied
  const isRequests = limit.measure === 'requests'
  return {
    key,
    window: limit.window,
    limit: limit.limit,
    need: amountOf(applied, need),
    // A limit of 0 blocks, whatever is needed.
    admits: limit.kind === 'usage' || limit.limit === 0 ? 'open' : 'fits',
    takes: isRequests ? 'use' : 'hold',
  }
}

type Readings = Awaited<ReturnType<Counters['settle']>>

const settleHeld = (counters: Counters, id: string, held: readonly Applied[], used: Amounts, nowMs: number) =>
  counters.settle(
    id,
    held.map((each) => ({ key: each.key, amount: amountOf(each, used), window: each.limit.window })),
    nowMs,
  )

/** The lease of a very long answer is over: what it used counts all the same. */
async function countLate(
  counters: Counters,
  held: readonly Applied[],
  used: Amounts,
  nowMs: number,
): Promise<Readings> {
  const { readings } = await counters.reserve(
    randomUUID(),
    held.map((each) => ({
      ...toReservation(each, used),
      limit: Number.MAX_SAFE_INTEGER,
      admits: 'fits',
      takes: 'use',
    })),
    leaseMs,
    nowMs,
  )
  return Object.fromEntries(held.map(({ key }, index) => [key, readings[index] ?? { used: 0, reserved: 0 }]))
}

function ratesOf(
  applied: readonly Applied[],
  read: (index: number) => { used: number; reserved: number } | undefined,
): RateReading[] {
  const rates: RateReading[] = []
  for (const [index, { limit }] of applied.entries()) {
    const reading = read(index)
    if (limit.kind === 'rate' && reading !== undefined)
      rates.push({ limit, used: reading.used, reserved: reading.reserved })
  }
  return rates
}

/** The settlement that crosses a line is one, however many run at once: each reads what stands after itself. */
function reachedBy(applied: Applied, amount: number, used: number | undefined): UsageReached[] {
  const { kind, limit, alertThreshold } = applied.limit
  if (kind !== 'usage' || used === undefined) return []
  const before = used - amount
  const crosses = (line: number) => before < line && used >= line
  const reached: UsageReached[] = []
  if (alertThreshold !== null && crosses(alertThreshold)) reached.push({ applied, event: 'threshold', used })
  if (crosses(limit)) reached.push({ applied, event: 'exhausted', used })
  return reached
}
