/** A range of time that is relative to now, in the URL; exact times of the API's names are kept as they are. */
import { useFilters } from '../router.tsx'
import { SelectField } from './field.tsx'

const hours: Readonly<Record<string, number>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 }
const minuteMs = 60_000

export interface TimeRange {
  time_of_generation_min: string | null
  time_of_generation_max: string | null
}

/** Rounded to the minute, so that the same view asks the same question. */
export function rangeOf(query: URLSearchParams, fallback = '24h'): TimeRange {
  const min = query.get('time_of_generation_min')
  const max = query.get('time_of_generation_max')
  const name = query.get('range') ?? fallback
  const length = Object.hasOwn(hours, name) ? hours[name] : undefined
  if (min !== null || max !== null || length === undefined) {
    return { time_of_generation_min: min, time_of_generation_max: max }
  }
  const now = Math.floor(Date.now() / minuteMs) * minuteMs
  return {
    time_of_generation_min: new Date(now - length * 60 * minuteMs).toISOString(),
    time_of_generation_max: null,
  }
}

export function RangeField({ fallback = '24h' }: { fallback?: string }) {
  const [query, change] = useFilters()
  const isExact = query.has('time_of_generation_min') || query.has('time_of_generation_max')
  const value = isExact ? 'exact' : (query.get('range') ?? fallback)
  return (
    <SelectField
      label="Time range"
      value={value}
      onChange={(range) =>
        change({
          range: range === fallback ? null : range,
          time_of_generation_min: null,
          time_of_generation_max: null,
        })
      }
      options={[
        ['1h', 'Last hour'],
        ['24h', 'Last 24 hours'],
        ['7d', 'Last 7 days'],
        ['30d', 'Last 30 days'],
        ['all', 'All'],
        ...(isExact ? ([['exact', 'As in the address']] as const) : []),
      ]}
    />
  )
}
