/** Sums up the results of a batch's lines. */
import type { BatchUsage } from '../shared/entities.ts'
import type { LineResult } from './run-line.ts'

export interface Totals {
  completed: number
  failed: number
  usage: BatchUsage
}

export const emptyTotals = (): Totals => ({
  completed: 0,
  failed: 0,
  usage: {
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
    cost: 0,
    cost_known: true,
  },
})

/** Adds a result to the totals in place. */
export function addResult(
  totals: Totals,
  { isFailed, usage: used }: Pick<LineResult, 'isFailed' | 'usage'>,
): void {
  if (isFailed) totals.failed += 1
  else totals.completed += 1
  if (used === null) return
  const { usage } = totals
  usage.input_tokens += used.input
  usage.output_tokens += used.output
  usage.cached_tokens += used.cached
  usage.reasoning_tokens += used.reasoning
  usage.cost += used.cost
  usage.cost_known &&= used.isKnown
}

/** The stored form of a result: the values to sum up come before its line of output. */
export const packResult = ({ isFailed, usage, text }: LineResult): string =>
  `${JSON.stringify({ isFailed, usage })}\n${text}`

export function unpackResult(data: string): Pick<LineResult, 'isFailed' | 'usage' | 'text'> {
  const end = data.indexOf('\n')
  const head = JSON.parse(data.slice(0, end)) as Pick<LineResult, 'isFailed' | 'usage'>
  return { ...head, text: data.slice(end + 1) }
}
