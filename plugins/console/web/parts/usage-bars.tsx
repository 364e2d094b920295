/** How much of a usage limit has been used: a bar and its numbers. */
import { rowsOf } from '../json.ts'
import { formatAmount, formatNumber } from './cells.tsx'

interface BarProps {
  used: number
  limit: number
  /** Of the limit: `cost`, `tokens` or `requests`. */
  type: unknown
  /** From where on it is nearly used up. */
  threshold?: unknown
}

export function UsageBar({ used, limit, type, threshold }: BarProps) {
  const amount = type === 'cost' || type === undefined ? formatAmount(used, 'cost') : formatNumber(used)
  const text = `${amount} of ${formatAmount(limit, type)}`
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

/** @param limits one as an object, several as a list */
export const UsageBars = ({ limits }: { limits: unknown }) => (
  <>
    {rowsOf(Array.isArray(limits) ? limits : [limits])
      .filter(({ credit_limit: limit }) => typeof limit === 'number')
      .map((limit, index) => (
        <p key={index} class="usage">
          Used
          <UsageBar
            used={Number(limit.current_usage ?? 0)}
            limit={Number(limit.credit_limit)}
            type={limit.type}
            threshold={limit.alert_threshold}
          />
        </p>
      ))}
  </>
)
