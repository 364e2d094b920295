/** The used part of a usage limit, as a bar with its numbers. */
import { rowsOf } from '../json.ts'
import { formatAmount, formatNumber } from './cells.tsx'

interface BarProps {
  used: number
  limit: number
  /** The type of the limit: `cost`, `tokens` or `requests`. */
  type: unknown
  /** The amount from which the limit counts as nearly exhausted. */
  threshold?: unknown
}

export function usageText(used: number, limit: number, type: unknown): string {
  const amount = type === 'cost' || type === undefined ? formatAmount(used, 'cost') : formatNumber(used)
  return `${amount} of ${formatAmount(limit, type)}`
}

export function UsageBar({ used, limit, type, threshold }: BarProps) {
  const text = usageText(used, limit, type)
  const high = typeof threshold === 'number' ? threshold : limit * 0.9
  return (
    <span class="usage">
      <meter
        min={0}
        max={limit}
        low={high}
        high={high}
        optimum={0}
        value={Math.min(used, limit)}
        aria-label={`Used ${text}`}
      />
      <span>{text}</span>
    </span>
  )
}

/** @param limits a single limit as an object, several as a list */
export const usagesOf = (limits: unknown): BarProps[] =>
  rowsOf(Array.isArray(limits) ? limits : [limits])
    .filter(({ credit_limit: limit }) => typeof limit === 'number')
    .map(({ current_usage: used, credit_limit: limit, type, alert_threshold: threshold }) => ({
      used: Number(used ?? 0),
      limit: Number(limit),
      type,
      threshold,
    }))

/** @param limits a single limit as an object, several as a list */
export const UsageBars = ({ limits }: { limits: unknown }) => (
  <>
    {usagesOf(limits).map((usage, index) => (
      <p key={index} class="usage">
        Used
        <UsageBar {...usage} />
      </p>
    ))}
  </>
)
