/** The numbers of a chart as a collapsible table below it. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

interface Props {
  title: string
  /** The heading of the first column. */
  head: string
  labels: readonly string[]
  columns: readonly { name: string; values: readonly (number | null)[] }[]
  format: (value: number) => string
}

/** A part below a chart that opens to show its numbers. */
export function ChartNumbers({ title, children }: { title: string; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Table<span class="hidden"> of {title}</span>
      </summary>
      {children}
    </details>
  )
}

export const ChartTable = ({ title, head, labels, columns, format }: Props) => (
  <ChartNumbers title={title}>
    <div class="table" tabIndex={0} role="region" aria-label={`${title}: numbers`}>
      <table>
        <caption class="hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {columns.map(({ name }) => (
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
              {columns.map(({ name, values }) => {
                const value = values[index] ?? null
                return (
                  <td key={name} class="number">
                    {value === null ? '–' : format(value)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </ChartNumbers>
)
