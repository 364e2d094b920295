/** The value of `--since`: a duration before now, or a time. */
import { UsageError } from './terminal.ts'

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds since the epoch. Errors: {@link UsageError}. */
export function sinceOf(written: string, nowMs: number): number {
  const span = /^(\d{1,6})([smhd])$/.exec(written)
  const at = span === null ? Date.parse(written) : nowMs - Number(span[1]) * (units[span[2] ?? ''] ?? 0)
  if (Number.isNaN(at))
    throw new UsageError('--since must be a duration such as 30m, 2h or 7d, or an ISO 8601 time.')
  return at
}
