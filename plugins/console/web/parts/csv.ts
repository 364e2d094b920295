/** Converts rows of the API to CSV, with money in US dollars and the unit of each number in its column name. */
import type { Row } from '../api.ts'
import { textOf } from './cells.tsx'

/** The unit of a column. The API returns money in cents. */
type Unit = 'cents' | 'ms' | 'percent'
export type Units = Readonly<Record<string, Unit>>

/** A value that begins with one of these characters would run as a formula in a spreadsheet. */
const formula = /^[=+\-@\t\r]/

function cell(text: string): string {
  const safe = formula.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const suffixes: Readonly<Record<Unit, string>> = { cents: 'usd', ms: 'ms', percent: 'percent' }

function headOf(name: string, units: Units): string {
  const unit = units[name]
  return unit === undefined ? name : `${name}_${suffixes[unit]}`
}

/** Converts cents to dollars. The API rounds costs to a millionth of a cent. */
const dollars = (cents: number): string =>
  (cents / 100).toLocaleString('en', { useGrouping: false, maximumFractionDigits: 8 })

function textAt(row: Row, name: string, units: Units): string {
  const value = row[name]
  if (value === null || value === undefined) return ''
  return units[name] === 'cents' && typeof value === 'number' ? dollars(value) : textOf(value)
}

export const columnsOf = (rows: readonly Row[]): string[] =>
  [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== 'object')

export const csvHead = (columns: readonly string[], units: Units): string =>
  `${columns.map((name) => cell(headOf(name, units))).join(',')}\n`

export const csvLines = (rows: readonly Row[], columns: readonly string[], units: Units): string =>
  rows.map((row) => `${columns.map((name) => cell(textAt(row, name, units))).join(',')}\n`).join('')

/** One page of a list of the API. */
export interface ListPage {
  data: readonly Row[]
  total: number
}

export const rowsPerPage = 1000
/**
 * Larger results are truncated; exports have no such limit.
 * @public used by tests, which load the module as a browser does
 */
export const mostRows = 100_000

export interface Progress {
  rows: number
  total: number
}

/**
 * Converts all rows of a list to CSV, page by page. Only one page at a time is parsed in memory.
 * @param load loads one page of `rowsPerPage` rows
 * @param tell called after each page
 */
export async function csvOfList(
  load: (page: number) => Promise<ListPage>,
  units: Units,
  tell: (progress: Progress) => void,
): Promise<string[]> {
  const parts: string[] = []
  let columns: string[] = []
  let rows = 0
  for (let page = 0; ; page += 1) {
    const { data, total } = await load(page)
    if (page === 0) {
      columns = columnsOf(data)
      parts.push(csvHead(columns, units))
    }
    const kept = data.slice(0, mostRows - rows)
    parts.push(csvLines(kept, columns, units))
    rows += kept.length
    tell({ rows, total })
    if (data.length < rowsPerPage || rows >= Math.min(total, mostRows)) return parts
  }
}
