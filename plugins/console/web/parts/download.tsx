import type { Row } from '../api.ts'
import { textOf } from './cells.tsx'

/** Spreadsheet formulas begin with one of these, and would run when the file is opened. */
const formula = /^[=+\-@\t\r]/

const cell = (text: string) => {
  const safe = formula.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvOf(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== 'object')
  const lines = rows.map((row) =>
    names
      .map((name) => cell(row[name] === null || row[name] === undefined ? '' : textOf(row[name])))
      .join(','),
  )
  return [names.join(','), ...lines].join('\n')
}

/** @param text created on demand */
export const Download = ({
  name,
  text,
  label = 'CSV',
}: {
  name: string
  text: () => string
  label?: string
}) => (
  <button
    type="button"
    onClick={() => {
      const url = URL.createObjectURL(new Blob([text()], { type: 'text/csv' }))
      const link = document.createElement('a')
      link.href = url
      link.download = name
      link.click()
      URL.revokeObjectURL(url)
    }}
  >
    {label}
  </button>
)
