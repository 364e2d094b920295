/** Formats values for tables and lists of facts. */
import type { ComponentChildren } from 'preact'

const minuteFormat: Intl.DateTimeFormatOptions = {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
}

function formatBy(value: unknown, format: Intl.DateTimeFormatOptions): string {
  if (typeof value !== 'string' || value === '') return '–'
  const time = new Date(value)
  // Built-in objects have no creation time.
  if (time.getTime() === 0) return '–'
  const isThisYear = time.getFullYear() === new Date().getFullYear()
  return time.toLocaleString('en', isThisYear ? format : { ...format, year: 'numeric' })
}

/** Formats a time as in charts: the day and a 24-hour clock, with the year if it is not the current one. */
export const formatTime = (value: unknown): string => formatBy(value, { ...minuteFormat, second: '2-digit' })

/** Formats a time without seconds, for lists of long-lived objects. */
export const formatMinute = (value: unknown): string => formatBy(value, minuteFormat)

/** @param seconds Unix seconds, which the routes of files and batches use */
export const formatSeconds = (seconds: number | null): string =>
  seconds === null ? '–' : formatMinute(new Date(seconds * 1000).toISOString())

const byteUnits = ['bytes', 'kB', 'MB', 'GB'] as const

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), byteUnits.length - 1)
  return `${formatNumber(bytes / 1000 ** power)} ${byteUnits[power]}`
}

export const formatNumber = (value: unknown): string =>
  typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 2 }) : '–'

/**
 * Small amounts have more digits. Amounts of the same magnitude have the same number of digits, which aligns them in a
 * column.
 */
function formatDollars(dollars: unknown): string {
  if (typeof dollars !== 'number') return '–'
  const size = Math.abs(dollars)
  const digits = size === 0 || size >= 1 ? 2 : size >= 0.01 ? 4 : 6
  return dollars.toLocaleString('en', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

/** @param cents US cents, as in logs and analytics */
export const formatCents = (cents: unknown): string =>
  formatDollars(typeof cents === 'number' ? cents / 100 : cents)

/** @param type type of the limit: `cost` in US dollars, `tokens` or `requests` */
export const formatAmount = (value: unknown, type: unknown): string =>
  type === 'cost' || type === undefined || type === null
    ? formatDollars(value)
    : `${formatNumber(value)} ${textOf(type)}`

export const formatMs = (value: unknown): string =>
  typeof value !== 'number'
    ? '–'
    : value < 1000
      ? `${Math.round(value)} ms`
      : `${(value / 1000).toFixed(2)} s`

export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '–'
  if (Array.isArray(value))
    return value.every((one) => typeof one !== 'object') ? value.join(', ') : JSON.stringify(value)
  if (typeof value === 'object') return JSON.stringify(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value)
}

export const Badge = ({
  tone,
  children,
}: {
  tone: 'good' | 'bad' | 'warn' | 'plain'
  children: ComponentChildren
}) => <span class={`badge ${tone}`}>{children}</span>

export function StatusBadge({ value }: { value: unknown }) {
  const text = textOf(value)
  const isGood = ['active', 'success', 'succeeded', 'accepted', 'delivered', 'completed'].includes(text)
  const isBad = ['archived', 'exhausted', 'failed', 'expired', 'deactivated', 'cancelled'].includes(text)
  return <Badge tone={isGood ? 'good' : isBad ? 'bad' : 'plain'}>{text}</Badge>
}

/** The status of a complete answer for which a guardrail failed without denying it. */
const failedCheckStatus = 246

export function HttpStatus({ value }: { value: unknown }) {
  const isError = typeof value !== 'number' || value >= 400
  return <Badge tone={isError ? 'bad' : value === failedCheckStatus ? 'warn' : 'good'}>{textOf(value)}</Badge>
}

export const Facts = ({ rows }: { rows: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
