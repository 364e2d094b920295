/**
 * The budgets, in `docs/performance/budgets.json`: what each request may allocate, as last recorded, and the goals. A
 * measurement above a budget is reported with the functions that grew most.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { ROOT } from '../bench/paths.ts'

/** The counted unit. Kilobytes are those of V8's heap, without the bytes of buffers. */
export type Unit = 'promises' | 'kilobytes'
export const UNITS: readonly Unit[] = ['promises', 'kilobytes']

/** Per request, and the share of each function. */
export interface Figures {
  perRequest: number
  functions: Readonly<Record<string, number>>
}

export type Measured = Readonly<Record<Unit, Figures>>

export interface Budget {
  /** The relay's figure, for comparison. */
  relay: number
  /** 0: not recorded yet. */
  allowed: number
  goal: number
  /** The functions recorded with `allowed`, largest first. */
  functions: Readonly<Record<string, number>>
}

export interface Budgets {
  /** ISO 8601. */
  date: string
  machine: string
  /** Figures of different versions of V8 cannot be compared. */
  node: string
  scenarios: Readonly<Record<string, Readonly<Record<Unit, Budget>>>>
}

const BUDGETS_FILE = `${ROOT}docs/performance/budgets.json`

export const readBudgets = (): Budgets => JSON.parse(readFileSync(BUDGETS_FILE, 'utf8')) as Budgets

export function writeBudgets(budgets: Budgets): void {
  writeFileSync(BUDGETS_FILE, `${JSON.stringify(budgets, null, 1)}\n`)
}

/** More than the difference between two runs of one build. */
const TOLERANCE = 0.03
/** On another machine than the recorded one, V8 optimises some functions earlier or later. Promises are the same everywhere. */
const KILOBYTES_ELSEWHERE = 0.1

/** Whether a figure is above its budget by more than two runs of one build differ. */
export const isExceeded = (
  perRequest: number,
  allowed: number,
  { unit, isSameMachine }: { unit: Unit; isSameMachine: boolean },
): boolean =>
  perRequest > allowed * (1 + (unit === 'promises' || isSameMachine ? TOLERANCE : KILOBYTES_ELSEWHERE))

/** Whether a figure is so far below its budget that the budget should be lowered. */
export const isLowered = (perRequest: number, allowed: number): boolean =>
  perRequest < allowed * (1 - TOLERANCE)

export interface Growth {
  name: string
  before: number
  now: number
}

/** The functions whose share grew most, largest growth first. */
export function grownFunctions(
  before: Budget['functions'],
  now: Figures['functions'],
  most: number,
): readonly Growth[] {
  return Object.entries(now)
    .map(([name, share]) => ({ name, before: before[name] ?? 0, now: share }))
    .filter(({ before, now }) => now - before > LEAST_SHARE)
    .toSorted((one, other) => other.now - other.before - (one.now - one.before))
    .slice(0, most)
}

/** Smaller shares are not kept: they come and go with the samples. */
const LEAST_SHARE = 0.05

/** The budgets with the measured values as the allowed ones; goals stay. */
export function recorded(
  budgets: Budgets,
  head: Pick<Budgets, 'date' | 'machine' | 'node'>,
  measured: { relay: Record<string, Measured>; gateway: Record<string, Measured> },
): Budgets {
  const scenarios = Object.entries(budgets.scenarios).map(([name, budget]) => {
    const own = measured.gateway[name]
    const relay = measured.relay[name]
    if (own === undefined || relay === undefined) return [name, budget] as const
    const of = (unit: Unit): Budget => ({
      relay: short(relay[unit].perRequest),
      allowed: short(own[unit].perRequest),
      goal: budget[unit].goal,
      functions: largest(own[unit].functions),
    })
    return [name, { promises: of('promises'), kilobytes: of('kilobytes') }] as const
  })
  return { ...head, scenarios: Object.fromEntries(scenarios) }
}

const largest = (functions: Figures['functions']): Record<string, number> =>
  Object.fromEntries(
    Object.entries(functions)
      .filter(([, share]) => share >= LEAST_SHARE)
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, share]) => [name, Math.round(share * 100) / 100] as const),
  )

const short = (value: number): number => Math.round(value * 10) / 10
