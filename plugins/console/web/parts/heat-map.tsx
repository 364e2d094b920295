/**
 * The number of requests by duration and time. Darker cells stand for more requests. A table of the same numbers is
 * below.
 */
import { useId } from 'preact/hooks'
import { TimeAxis, tickText } from './chart.tsx'
import { ChartNumbers } from './chart-table.tsx'
import { useWidth } from './scale.tsx'
import { Table } from './table.tsx'

interface HeatCell {
  /** The index of the time's column. */
  column: number
  /** The upper bound of the row. */
  end: number
  count: number
}

interface Props {
  title: string
  labels: readonly string[]
  cells: readonly HeatCell[]
  formatEnd: (end: number) => string
}

const usualHeight = 190
const emptyHeight = 64
const left = 62
const bottom = 22
/** The opacity of the faintest non-empty cell, which must still be visible. */
const faintest = 0.15

export function HeatMap({ title, labels, cells, formatEnd }: Props) {
  const id = useId()
  const [element, width] = useWidth(640)
  const ends = [...new Set(cells.map(({ end }) => end))].sort((one, other) => one - other)
  const most = Math.max(1, ...cells.map(({ count }) => count))
  const height = cells.length === 0 ? emptyHeight : usualHeight
  const step = (width - left) / Math.max(labels.length, 1)
  const high = (height - bottom) / Math.max(ends.length, 1)
  const top = (end: number) => height - bottom - (ends.indexOf(end) + 1) * high
  const every = Math.ceil(ends.length / 8)
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <div ref={element}>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          height={height}
          role="img"
          aria-label={`${title}: at most ${most.toLocaleString('en')} requests in a cell`}
        >
          {ends.map((end, index) =>
            index % every !== 0 ? null : (
              <text key={end} x={left - 8} y={top(end) + high / 2 + 4} class="axis end">
                {tickText(formatEnd(end))}
              </text>
            ),
          )}
          {cells.map(({ column, end, count }) => (
            <rect
              key={`${column} ${end}`}
              class="s0"
              x={left + column * step + 0.5}
              width={Math.max(step - 1, 1)}
              y={top(end) + 0.5}
              height={Math.max(high - 1, 1)}
              fill-opacity={faintest + (1 - faintest) * (count / most)}
            >
              <title>{`${labels[column] ?? ''}\n${count.toLocaleString('en')} within ${formatEnd(end)}`}</title>
            </rect>
          ))}
          <line x1={left} x2={width} y1={height - bottom} y2={height - bottom} class="base" />
          <TimeAxis {...{ labels, width, height, step }} />
        </svg>
      </div>
      {cells.length === 0 ? (
        <p class="hint">No data in this time range.</p>
      ) : (
        <p class="ramp">
          {most > 1 && (
            <>
              1 <span class="s0" aria-hidden="true" />{' '}
            </>
          )}
          {most.toLocaleString('en')} {most === 1 ? 'request' : 'requests'} in a cell
        </p>
      )}
      <ChartNumbers title={title}>
        {/* Durations as columns would be wider than a screen, and most of their cells empty. */}
        <Table
          caption={`${title}: numbers`}
          rows={[...cells].sort((one, other) => one.column - other.column || one.end - other.end)}
          empty="No data in this time range."
          columns={[
            { name: 'time', label: 'Time', render: ({ column }) => labels[column] ?? '' },
            { name: 'within', label: 'Within', isNumber: true, render: ({ end }) => formatEnd(end) },
            {
              name: 'requests',
              label: 'Requests',
              isNumber: true,
              render: ({ count }) => count.toLocaleString('en'),
            },
          ]}
        />
      </ChartNumbers>
    </figure>
  )
}
