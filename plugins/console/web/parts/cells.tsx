/** How values look in tables and lists of facts. */
import type { ComponentChildren } from 'preact'
import type { Json } from '../api.ts'

export const formatTime = (value: Json | undefined): string =>
  typeof value === 'string' && value !== '' ? new Date(value).toLocaleString() : '–'

export const formatNumber = (value: Json | undefined): string =>
  typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 2 }) : '–'

/** @param cents US cents, as logs and analytics have them */
export const formatCents = (cents: Json | undefined): string =>
  typeof cents === 'number'
    ? (cents / 100).toLocaleString('en', {
        style: 'currency',
        currency: 'USD',
        maximumFractionDigits: Math.abs(cents) < 1 ? 6 : Math.abs(cents) < 100 ? 4 : 2,
      })
    : '–'

export const formatMs = (value: Json | undefined): string =>
  typeof value !== 'number'
    ? '–'
    : value < 1000
      ? `${Math.round(value)} ms`
      : `${(value / 1000).toFixed(2)} s`

export const textOf = (value: Json | undefined): string => {
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
  tone: 'good' | 'bad' | 'plain'
  children: ComponentChildren
}) => <span class={`badge ${tone}`}>{children}</span>

export function StatusBadge({ value }: { value: Json | undefined }) {
  const text = textOf(value)
  const isGood = ['active', 'success', 'accepted', 'delivered'].includes(text)
  const isBad = ['archived', 'exhausted', 'failed', 'expired', 'deactivated', 'cancelled'].includes(text)
  return <Badge tone={isGood ? 'good' : isBad ? 'bad' : 'plain'}>{text}</Badge>
}

export const HttpStatus = ({ value }: { value: Json | undefined }) => (
  <Badge tone={typeof value === 'number' && value < 400 ? 'good' : 'bad'}>{textOf(value)}</Badge>
)

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
