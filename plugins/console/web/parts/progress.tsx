/** A progress bar with its numbers. */
import { formatNumber } from './cells.tsx'

interface Props {
  done: number
  total: number
  /** The label that is announced with the numbers, such as "Pairs". */
  label: string
}

export function Progress({ done, total, label }: Props) {
  const text = `${formatNumber(done)} of ${formatNumber(total)}`
  return (
    <span class="usage">
      <progress max={Math.max(total, 1)} value={done} aria-label={`${label}: ${text}`} />
      <span>{text}</span>
    </span>
  )
}
