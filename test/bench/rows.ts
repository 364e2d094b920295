/** The rows of the table: values of the servers, ratios between them, and whether the target is reached. */
import type { Values } from './results.ts'

/** The unit of a value: rates are written without decimals, times with decimals. */
export type Unit =
  | 'req/s'
  | 'streams/s'
  | 'pairs/s'
  | 'ms'
  | 'µs'
  | 'MB'
  | 'bytes'
  | '%'
  | 'events'
  | 'streams'
  | 'requests'
  | 'writes'
  | 'commands'
  | 'transactions'
  | 'rows'

const BOUNDS: ReadonlySet<string> = new Set(['relay', 'koa', 'koa-unread'])

export interface Row {
  /** The scenario's name for `--only`. */
  scenario: string
  figure: string
  unit: Unit
  values: Values
  ratios: readonly Ratio[]
  target: string
  verdict: Verdict
  /** Whether other processes used the cores in all rounds of something that it is made of. */
  disturbed: boolean
}

/** Whether the target is reached; empty for a row without a target. */
type Verdict = '' | 'yes' | 'no' | 'not measured' | 'not judged'

/** The gateway's value, divided by another's. */
interface Ratio {
  to: string
  value: number
  /** The least that is wanted, or the most; null when neither is. */
  atLeast: number | null
  atMost?: number
}

/** The parts of a row. `ratioTo`: other servers and the minimum ratio, or null. */
export interface RowParts {
  scenario: string
  figure: string
  unit: Unit
  values: Values
  ratioTo?: Readonly<Record<string, number | null>>
  /** Instead: the most that the ratio to another server may be. */
  ratioAtMost?: Readonly<Record<string, number>>
  /** The most that the gateway's value may be, or the least. */
  atMost?: number
  atLeast?: number
}

/** Makes a row: computes its ratios and compares them with the targets. */
export function makeRow({ ratioTo = {}, ratioAtMost = {}, atMost, atLeast, ...parts }: RowParts): Row {
  const own = parts.values.gateway ?? Number.NaN
  const ratioOf = (to: string) => own / (parts.values[to] ?? Number.NaN)
  const ratios: Ratio[] = [
    ...Object.entries(ratioTo).map(([to, least]) => ({ to, value: ratioOf(to), atLeast: least })),
    ...Object.entries(ratioAtMost).map(([to, most]) => ({
      to,
      value: ratioOf(to),
      atLeast: null,
      atMost: most,
    })),
  ]
  const goals = ratios.flatMap(({ to, value, atLeast: least, atMost: most }) => {
    if (most !== undefined)
      return [{ text: `≤ ${ratioText(to, most, parts.unit)}`, value, met: value <= most }]
    return least === null
      ? []
      : [{ text: `≥ ${ratioText(to, least, parts.unit)}`, value, met: value >= least }]
  })
  if (atMost !== undefined) goals.push({ text: `≤ ${atMost} ${parts.unit}`, value: own, met: own <= atMost })
  if (atLeast !== undefined)
    goals.push({
      text: `≥ ${atLeast.toLocaleString('en-US')} ${parts.unit}`,
      value: own,
      met: own >= atLeast,
    })
  return {
    ...parts,
    ratios,
    target: goals.map(({ text }) => text).join(' and '),
    verdict: verdictOf(goals),
    disturbed: false,
  }
}

function verdictOf(goals: readonly { value: number; met: boolean }[]): Verdict {
  if (goals.length === 0) return ''
  if (!goals.every(({ value }) => Number.isFinite(value))) return 'not measured'
  return goals.every(({ met }) => met) ? 'yes' : 'no'
}

/** A ratio in words: percent for rates with an upper limit, factors otherwise. */
export function ratioText(to: string, value: number, unit: Unit): string {
  const inPercent = unit.endsWith('/s') && BOUNDS.has(to)
  // Near 1, where a bound of 1.03 would read as 1.
  const digits = value >= 0.9 && value < 2 ? 3 : 2
  return inPercent ? `${Math.round(value * 100)} % of ${to}` : `${Number(value.toPrecision(digits))} × ${to}`
}
