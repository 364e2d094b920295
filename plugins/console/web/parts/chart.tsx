/** A small chart of our own, with a table of the same numbers below it. */
import { useId, useState } from 'preact/hooks'

interface Series {
  name: string
  values: readonly number[]
}

interface Props {
  title: string
  /** What stands below the points: times as text. */
  labels: readonly string[]
  series: readonly Series[]
  format: (value: number) => string
  kind?: 'bars' | 'lines'
}

const width = 640
const height = 160
const left = 8
const bottom = 18

export function Chart({ title, labels, series, format, kind = 'bars' }: Props) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const count = Math.max(labels.length, 1)
  const sums = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  const tops = kind === 'bars' ? sums : series.flatMap(({ values }) => values)
  const top = Math.max(...tops, 0)
  const step = (width - left) / count
  const y = (value: number) => height - bottom - (top === 0 ? 0 : (value / top) * (height - bottom - 16))
  const total = series.length === 1 ? series[0]?.values.reduce((sum, one) => sum + one, 0) : undefined
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}: at most ${format(top)}`}>
        <text x={left} y={11} class="axis">
          {format(top)}
        </text>
        <line x1={left} x2={width} y1={height - bottom} y2={height - bottom} class="base" />
        {kind === 'bars'
          ? labels.map((label, index) => <Bar key={label} {...{ series, index, step, y, label, format }} />)
          : series.map(({ name, values }, place) => (
              <polyline
                key={name}
                class={`line s${place % 6}`}
                points={values.map((value, index) => `${left + (index + 0.5) * step},${y(value)}`).join(' ')}
              >
                <title>{name}</title>
              </polyline>
            ))}
        <text x={left} y={height - 4} class="axis">
          {labels[0] ?? ''}
        </text>
        <text x={width} y={height - 4} class="axis end">
          {labels.at(-1) ?? ''}
        </text>
      </svg>
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ name }, place) => (
            <li key={name}>
              <span class={`dot s${place % 6}`} aria-hidden="true" /> {name}
            </li>
          ))}
        </ul>
      )}
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          Table{total !== undefined && kind === 'bars' ? ` (sum ${format(total)})` : ''}
          <span class="hidden"> of {title}</span>
        </summary>
        <div class="table" tabIndex={0} role="region" aria-label={`${title}: numbers`}>
          <table>
            <caption class="hidden">{title}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map((label, index) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {series.map(({ name, values }) => (
                    <td key={name} class="number">
                      {format(values[index] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

interface BarProps {
  series: readonly Series[]
  index: number
  step: number
  label: string
  y: (value: number) => number
  format: (value: number) => string
}

function Bar({ series, index, step, label, y, format }: BarProps) {
  let below = 0
  return (
    <g>
      <title>{`${label}: ${series.map(({ name, values }) => `${name} ${format(values[index] ?? 0)}`).join(', ')}`}</title>
      {series.map(({ name, values }, place) => {
        const from = below
        below += values[index] ?? 0
        const high = y(from) - y(below)
        return high <= 0 ? null : (
          <rect
            key={name}
            class={`s${place % 6}`}
            x={left + index * step + step * 0.12}
            width={Math.max(step * 0.76, 1)}
            y={y(below)}
            height={high}
          />
        )
      })}
    </g>
  )
}
