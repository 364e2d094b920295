/** Stacked bars or lines over time, with a table of the same numbers below. */
import { useId } from 'preact/hooks'
import { ChartTable } from './chart-table.tsx'
import { ticksOf, useWidth } from './scale.tsx'

export interface Series {
  name: string
  /** One value per time; null for a time without a value. */
  values: readonly (number | null)[]
}

interface Props {
  title: string
  /** The labels of the times, below the points. */
  labels: readonly string[]
  series: readonly Series[]
  format: (value: number) => string
  isLoading?: boolean
  kind?: 'bars' | 'lines'
  /** The heading of the table's column of times. */
  head?: string
}

/** An empty chart has the same height, which avoids a layout shift when the values arrive. */
const height = 190
const left = 62
const bottom = 22
const above = 8
const colours = 10

export function Chart({
  title,
  labels,
  series,
  format,
  isLoading = false,
  kind = 'bars',
  head = 'Time',
}: Props) {
  const id = useId()
  const [element, width] = useWidth(640)
  const sums = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  const largest = Math.max(
    0,
    ...(kind === 'bars' ? sums : series.flatMap(({ values }) => values.map((value) => value ?? 0))),
  )
  const ticks = ticksOf(largest)
  const top = ticks.at(-1) ?? 0
  const step = (width - left) / Math.max(labels.length, 1)
  const y = (value: number) => height - bottom - (top === 0 ? 0 : (value / top) * (height - bottom - above))
  const sum = sums.reduce((all, one) => all + one, 0)
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id}>
        {title}
        {kind === 'bars' && <span class="sum">{format(sum)}</span>}
      </figcaption>
      <div ref={element}>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          height={height}
          role="img"
          aria-label={`${title}: at most ${format(largest)}`}
        >
          {ticks.map((tick) => (
            <g key={tick}>
              <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} class={tick === 0 ? 'base' : 'grid'} />
              <text x={left - 8} y={y(tick) + 4} class="axis end">
                {tickText(format(tick))}
              </text>
            </g>
          ))}
          {kind === 'lines' &&
            series.map((one, place) => <Line key={one.name} {...{ one, place, step, y }} />)}
          {labels.map((label, index) => (
            <Column
              key={label}
              {...{
                series,
                index,
                step,
                y,
                label,
                format,
                height,
                isDrawn: kind === 'bars',
              }}
            />
          ))}
          <TimeAxis {...{ labels, width, height, step }} />
          {largest === 0 && !isLoading && (
            <text x={(left + width) / 2} y={height / 2} class="axis middle">
              No data in this time range
            </text>
          )}
        </svg>
      </div>
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ name }, place) => (
            <li key={name}>
              <span class={`dot s${place % colours}`} aria-hidden="true" /> {name}
            </li>
          ))}
        </ul>
      )}
      <ChartTable title={title} head={head} labels={labels} columns={series} format={format} />
    </figure>
  )
}

/** Formats `4.00 s` as `4 s`. Amounts of money with decimals keep two of them. */
export const tickText = (text: string): string =>
  text.replace(/\.(\d+)(?=\D*$)/, (_, digits: string) => {
    const kept = digits.replace(/0+$/, '')
    return kept === '' ? '' : `.${text.startsWith('$') ? kept.padEnd(2, '0') : kept}`
  })

/** The width of a letter on an axis, in CSS pixels. */
const letterWidth = 6.6

interface AxisProps {
  labels: readonly string[]
  width: number
  height: number
  step: number
}

/**
 * Labels times at equal distances, including the last one, or both ends if only two fit. Each label is centred below
 * its column, within the drawing.
 */
export function TimeAxis({ labels, width, height, step }: AxisProps) {
  const end = labels.length - 1
  const half = (Math.max(0, ...labels.map(({ length }) => length)) * letterWidth) / 2
  // The first and the last label may move by half their width.
  const every = Math.max(1, Math.ceil((3 * half + 12) / step))
  const fitting = labels.flatMap((_, index) => ((end - index) % every === 0 ? [index] : []))
  const shown = fitting.length > 2 || end < 1 ? fitting : [0, end]
  return (
    <>
      {shown.map((index) => {
        const centre = left + (index + 0.5) * step
        const x = Math.min(Math.max(centre, left + half), width - half)
        return (
          <text key={index} x={x} y={height - 5} class="axis middle">
            {labels[index]}
          </text>
        )
      })}
    </>
  )
}

interface LineProps {
  one: Series
  place: number
  step: number
  y: (value: number) => number
}

/** Splits a line at the times without a value. */
function partsOf(
  values: readonly (number | null)[],
  at: (index: number, value: number) => string,
): string[][] {
  const parts: string[][] = [[]]
  for (const [index, value] of values.entries()) {
    if (value === null) parts.push([])
    else parts.at(-1)?.push(at(index, value))
  }
  return parts.filter((points) => points.length > 0)
}

const Line = ({ one: { name, values }, place, step, y }: LineProps) => (
  <>
    {partsOf(values, (index, value) => `${left + (index + 0.5) * step},${y(value)}`).map((points) => (
      // A single point is a separate line, which round line ends draw as a dot.
      <polyline
        key={points[0]}
        class={`line s${place % colours}`}
        points={(points.length === 1 ? [...points, ...points] : points).join(' ')}
      >
        <title>{name}</title>
      </polyline>
    ))}
  </>
)

interface ColumnProps {
  series: readonly Series[]
  index: number
  step: number
  label: string
  y: (value: number) => number
  format: (value: number) => string
  height: number
  isDrawn: boolean
}

/** The bars of one time, with their numbers as a tooltip. */
function Column({ series, index, step, label, y, format, height, isDrawn }: ColumnProps) {
  let below = 0
  const said = series
    .filter(({ values }) => series.length <= 3 || (values[index] ?? 0) > 0)
    .map(({ name, values }) => {
      const value = values[index] ?? null
      return `${name} ${value === null ? '–' : format(value)}`
    })
  return (
    <g class="column">
      <title>{[label, ...said].join('\n')}</title>
      <rect class="hit" x={left + index * step} width={step} y={above} height={height - bottom - above} />
      {isDrawn &&
        series.map(({ name, values }, place) => {
          const from = below
          below += values[index] ?? 0
          const high = y(from) - y(below)
          return high <= 0 ? null : (
            <rect
              key={name}
              class={`s${place % colours}`}
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
