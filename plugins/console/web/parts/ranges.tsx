/** A time range in the URL: relative to now, or exact times under the API's names. */
import { useLayoutEffect, useState } from 'preact/hooks'
import { useFilters } from '../router.tsx'
import { Field, SelectField } from './field.tsx'
import { toLocalTime } from './field-text.ts'

const hours: Readonly<Record<string, number>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 }
const minuteMs = 60_000

export interface TimeRange {
  time_of_generation_min: string | null
  time_of_generation_max: string | null
}

/** Rounds to the minute, so the same view sends the same request. */
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
  const choose = (range: string) => {
    const exact = range === 'exact' ? rangeOf(query, fallback) : null
    change({
      range: range === fallback || exact !== null ? null : range,
      time_of_generation_min: exact === null ? null : (exact.time_of_generation_min ?? startOfToday()),
      time_of_generation_max: null,
    })
  }
  return (
    <>
      <SelectField
        label="Time range"
        value={value}
        onChange={choose}
        options={[
          ['1h', 'Last hour'],
          ['24h', 'Last 24 hours'],
          ['7d', 'Last 7 days'],
          ['30d', 'Last 30 days'],
          ['all', 'All'],
          ['exact', 'From … to …'],
        ]}
      />
      {isExact && (
        <>
          <TimeFilter name="time_of_generation_min" label="From" />
          <TimeFilter name="time_of_generation_max" label="To" />
        </>
      )}
    </>
  )
}

function startOfToday(): string {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return day.toISOString()
}

/** A local time, which takes effect on Enter or when the field loses focus. */
function TimeFilter({ name, label }: { name: keyof TimeRange; label: string }) {
  const [query, change] = useFilters()
  const inUrl = toLocalTime(query.get(name) ?? '')
  const [text, setText] = useState(inUrl)
  useLayoutEffect(() => setText(inUrl), [inUrl])
  const commit = (input: HTMLInputElement) => {
    if (input.validity.badInput || text === inUrl) return
    change({ [name]: text === '' ? null : new Date(text).toISOString() })
  }
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={(event) => commit(event.currentTarget)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit(event.currentTarget)
          }}
        />
      )}
    </Field>
  )
}
